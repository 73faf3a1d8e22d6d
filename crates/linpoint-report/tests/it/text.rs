//! The text output, without colours, character by character.

use std::time::Duration;

use linpoint::history::{Extras, Span};
use linpoint::spec::models::{Register, RegisterOp, RegisterRet};
use linpoint::verdict::{
    CoreStatus, Form, OpMention, Partial, Reason, ReasonKind, Undecided, Verdict, Violation,
    ViolationKind, Witness,
};
use linpoint::{History, Limit, OpId};
use linpoint_report::{Heading, Operation, Operations, Outcome, Rendered, TypedOperations, text};

/// Operations as (client, op, result, call rank, return rank).
struct FixedOperations(Vec<(&'static str, &'static str, Option<&'static str>, u32, u32)>);

impl Operations for FixedOperations {
    fn operation(&self, id: OpId) -> Operation {
        let (client, op, ret, call, end) = self.0[id.index()];
        Operation {
            op: op.to_owned(),
            ret: ret.map(str::to_owned),
            process: Some(7),
            client: Some(client.to_owned()),
            object: None,
            span: Span { call, ret: end },
            line: Some(id.0 + 2),
        }
    }

    fn span(&self, id: OpId) -> Span {
        let (.., call, ret) = self.0[id.index()];
        Span { call, ret }
    }
}

fn rendered(heading: Heading, operations: &dyn Operations, verdict: Verdict) -> Rendered {
    let outcome = Outcome::new(operations, &verdict, &[]);
    Rendered { heading, engine: "jit-graph".to_owned(), outcome, failing_parts: None }
}

fn heading(operations: usize) -> Heading {
    Heading {
        name: "jobs.jsonl".to_owned(),
        model: "queue".to_owned(),
        note: Some("two producers, two workers".to_owned()),
        operations,
        unknown_results: 0,
        time: Duration::from_micros(1250),
        reading: Duration::from_millis(250),
        jepsen: None,
        neighbours: Vec::new(),
    }
}

fn violation(part: u32, core: &[u32], failing: u32) -> Violation {
    Violation {
        kind: ViolationKind::NotLinearizable,
        part: (0..part).map(OpId).collect(),
        reason: "\"b\" left the queue before \"a\", which had been there first".into(),
        failing: Some(OpId(failing)),
        failing_is_earliest: true,
        allowed: vec!["\"a\"".to_owned()],
        allowed_is_complete: true,
        partials: vec![Partial {
            order: vec![OpId(0), OpId(1)],
            state: "[\"a\", \"b\"]".to_owned(),
        }],
        core: core.iter().copied().map(OpId).collect(),
        core_status: CoreStatus::Minimal,
        confirmed_by: Some("breadth".to_owned()),
    }
}

fn queue() -> FixedOperations {
    FixedOperations(vec![
        ("producer-1", "enqueue(\"a\")", Some("ok"), 0, 1),
        ("producer-2", "enqueue(\"b\")", Some("ok"), 2, 4),
        ("worker-1", "dequeue()", Some("\"b\""), 3, 6),
        ("worker-2", "dequeue()", Some("\"a\""), 7, 8),
        ("producer-1", "enqueue(\"c\")", None, 5, Span::NEVER),
    ])
}

#[test]
fn a_violation_is_a_sentence_a_timeline_and_the_facts() {
    let violation = violation(5, &[0, 1, 2, 3], 2);
    let verdict = Verdict::Violation(Box::new(violation));
    let rendered = rendered(heading(5), &queue(), verdict);
    let expected = r#"✗ jobs.jsonl  NOT LINEARIZABLE  queue, 5 operations, jit-graph, 1.25 ms
  two producers, two workers

  "b" left the queue before "a", which had been there first

    producer-1  |==enqueue("a")==|                    |--enqueue("c") ~ ~ ~ ~ ~ ~ ~>
    producer-2                     |==enqueue("b")==|
    worker-1                        |==dequeue() -> "b"==✗
    worker-2                                               |==dequeue() -> "a"==|

  ✗ fails at     dequeue() by worker-1 returned "b" (line 4)
  allowed here   "a"
  state before   ["a", "b"]
  longest order  enqueue("a"), enqueue("b")
  core           4 of 5 operations contradict each other; all are needed; confirmed by breadth

"#;
    let text = text::without_colours(&text::render(&rendered, 100));
    assert_eq!(text, expected, "\n{text}");
}

#[test]
fn narrow_timelines_omit_cut_and_then_wrap_operations() {
    let violation = violation(5, &[0, 1, 2], 2);
    let verdict = Verdict::Violation(Box::new(violation));
    let rendered = rendered(heading(5), &queue(), verdict);
    let narrow = text::without_colours(&text::render(&rendered, 60));
    assert!(narrow.lines().all(|l| l.chars().count() <= 72), "\n{narrow}");
    assert!(
        !narrow.contains("|--enqueue"),
        "operations outside of the core are left out:\n{narrow}"
    );
    for width in [0, 1, 40, 50, 59, 61, 80, 200] {
        text::render(&rendered, width);
    }
}

#[test]
fn a_core_of_a_hundred_operations_fits_the_width() {
    let rows = (0..100).map(|i| ("ann", "write(123456789)", Some("ok"), 2 * i, 2 * i + 1));
    let core: Vec<u32> = (0..100).collect();
    let verdict = Verdict::Violation(Box::new(violation(100, &core, 99)));
    let rendered = rendered(heading(100), &FixedOperations(rows.collect()), verdict);
    let text = text::without_colours(&text::render(&rendered, 80));
    assert!(text.contains("continued"));
    assert!(text.lines().all(|l| l.chars().count() <= 82), "\n{text}");
}

#[test]
fn a_linearizable_history_is_one_line() {
    let verdict = Verdict::Linearizable(Witness { order: vec![] });
    let mut heading = heading(1);
    heading.unknown_results = 1;
    let rendered = rendered(heading, &FixedOperations(vec![]), verdict);
    assert_eq!(
        text::without_colours(&text::render(&rendered, 100)),
        "✓ jobs.jsonl  linearizable  queue, 1 operation, jit-graph, 1.25 ms, 1 result unknown\n"
    );
}

#[test]
fn undecided_names_the_limit_and_the_progress() {
    let undecided = Undecided {
        limit: Limit::Memory,
        parts_done: 2,
        parts: 3,
        returns_reached: 17,
        returns: 40,
    };
    let rendered = rendered(heading(90), &FixedOperations(vec![]), Verdict::Undecided(undecided));
    assert_eq!(
        text::without_colours(&text::render(&rendered, 120)),
        "? jobs.jsonl  undecided  queue, 90 operations, jit-graph, 1.25 ms\n  stopped by the memory \
         limit; 2 of 3 independent parts are linearizable; found an order for the first 17 of 40 returns\n"
    );
}

#[test]
fn control_characters_from_a_file_are_escaped() {
    let rows = vec![("\u{1b}[2Jann", "write(\u{7})", Some("\r\n"), 0, 1)];
    let mut heading = heading(1);
    heading.name = "a\u{1b}[31m.jsonl".to_owned();
    heading.note = Some("\u{9b}1A".to_owned());
    let violation = Violation { partials: vec![], ..violation(1, &[0], 0) };
    let rendered =
        rendered(heading, &FixedOperations(rows), Verdict::Violation(Box::new(violation)));
    let text = text::without_colours(&text::render(&rendered, 100));
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    assert!(text.contains(r"a\u{1b}[31m.jsonl"), "{text}");
}

#[test]
fn typed_operations_describe_a_history() {
    let mut events = History::from_events();
    let extras = Extras { process: Some(3), ..Extras::default() };
    let write = events.call_with(RegisterOp::Write(5), extras).unwrap();
    let read = events.call(RegisterOp::Read);
    events.ret(read, RegisterRet::Value(5)).unwrap();
    let history = events.finish();
    let typed = TypedOperations { spec: &Register { initial: 0 }, history: &history };
    assert_eq!(typed.operation(write).client.as_deref(), Some("client 3"));
    assert_eq!(typed.operation(write).text(), "write(5)");
    assert_eq!(typed.operation(read).text(), "read() -> 5");
}

#[test]
fn operations_that_returned_later_have_no_result_in_an_order() {
    let mut violation = violation(5, &[0, 1, 2], 2);
    violation.partials[0].order = vec![OpId(0), OpId(2), OpId(1)];
    violation.reason = Reason::new(ReasonKind::Contradiction)
        .op(OpMention {
            op: violation.failing.unwrap(),
            form: Form::Returned,
            call: "dequeue()".into(),
            process: Some(7),
            result: Some("\"b\"".into()),
        })
        .text(", which is odd");
    let verdict = Verdict::Violation(Box::new(violation));
    let text = text::without_colours(&text::render(&rendered(heading(5), &queue(), verdict), 100));
    assert!(
        text.contains("longest order  enqueue(\"a\"), dequeue() -> ?, enqueue(\"b\")"),
        "{text}"
    );
    assert!(text.contains("state then "), "the order contains the failing operation:\n{text}");
    assert!(text.contains("dequeue() by worker-1 (line 4) returned \"b\", which is odd"), "{text}");
}
