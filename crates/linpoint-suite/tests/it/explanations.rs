//! What explanations say is true: each argument is confirmed from the history alone.

use std::collections::BTreeMap;
use std::time::Duration;

use linpoint::history::{Interval, Span, Ties};
use linpoint::spec::models::{
    Bag, BagOp, BagRet, Deque, DequeOp, DequeRet, KeyValue, KeyValueOp, KeyValueRet, Order,
    PriorityQueue, PriorityQueueOp, PriorityQueueRet, Queue, QueueOp, QueueRet, Snapshot,
    SnapshotOp, SnapshotRet, Stack, StackOp, StackRet,
};
use linpoint::verdict::{Argument, CoreStatus, Last, ReasonKind, Rule, ViolationKind};
use linpoint::{Checker, Hints, History, Limit, OpId, Spec, Verdict};
use linpoint_suite::arguments::{Facts, Recorded, confirm, recorded};
use linpoint_suite::corpus;
use linpoint_suite::erased::Erased;
use linpoint_suite::generate::{Params, cases};
use linpoint_suite::vocabulary::Vocabulary;

use crate::common::is_long;

/// What a person who reads a history of this vocabulary knows about the object. `None`: the checker does not know the
/// operations of maps and channels, so what is said about them is not confirmed here.
fn facts(vocabulary: &str) -> Option<Facts> {
    let model = |model: &str| Facts { model: model.into(), ..Facts::default() };
    let register =
        |name: &str, initial: &str| Facts { initial: Some(initial.into()), ..model(name) };
    Some(match vocabulary {
        "register" => register("register", "0"),
        "compare-and-set register" => register("cas-register", "0"),
        "multi-register" => {
            let initials = vec![("0".into(), "1".into())];
            Facts { initials, ..register("multi-register", "0") }
        }
        "key-value store" | "texts" => register("kv", "none"),
        "key-value store with a default" => register("kv", "0"),
        "swap register" => register("rmw", "0"),
        "snapshot" => register("snapshot", "0"),
        "counter" => model("counter"),
        "semaphore" => Facts { number: 1, ..model("semaphore") },
        "set" | "bag" | "stack" | "queue" | "deque" | "mutex" | "mailbox" => model(vocabulary),
        "bounded queue" => Facts { capacity: Some(2), ..model("queue") },
        "bounded deque" => model("deque"),
        "priority queue, largest first" => Facts { largest_first: true, ..model("priority-queue") },
        "priority queue, smallest first" => model("priority-queue"),
        "map" | "bounded channel" => return None,
        _ => panic!("no facts about {vocabulary}"),
    })
}

/// How often each kind was given.
type Kinds = BTreeMap<&'static str, usize>;

/// Confirms the explanations of all violations among some random histories. What is wrong goes to `complaints`.
fn explanations_hold<S: Spec>(
    vocabulary: &Vocabulary<S>,
    params: Params,
    (seed, count): (u64, u64),
    complaints: &mut Vec<String>,
) -> Kinds {
    let mut kinds = Kinds::new();
    for case in cases(vocabulary, params, seed, count) {
        // Some random histories are hard.
        let limit = Duration::from_millis(200);
        let checker = Checker::new(&vocabulary.spec).threads(1).hints(Hints::Ignore).timeout(limit);
        let report = checker.check(&case.history).expect("a verdict");
        let Verdict::Violation(violation) = report.verdict else { continue };
        assert_eq!(violation.kind, ViolationKind::NotLinearizable);
        let reason = &violation.reason;
        *kinds.entry(reason.kind.name()).or_default() += 1;
        // Only the verdict is left of an explanation whose core no engine confirms. That hides what is false about it.
        let is_unconfirmed = violation.core_status == CoreStatus::NotMinimised(Limit::Steps);
        if violation.failing.is_none() && is_unconfirmed {
            complaints.push(format!("{}: nothing is explained: {reason}", vocabulary.name));
        }
        let Some(argument) = &reason.argument else { continue };
        let ops = recorded(&vocabulary.spec, &case.history);
        let failing = violation.failing.expect("an argument is about a failing return");
        let failed = case.history.span(failing).ret;
        let text = || {
            let op = |(at, op): (usize, &Recorded)| {
                format!("#{at} {} -> {:?} {:?}\n", op.op, op.ret, op.span)
            };
            let rows: String = ops.iter().enumerate().map(op).collect();
            format!("{}: {reason}\n{rows}fails at {failing}", vocabulary.name)
        };
        let Some(facts) = facts(vocabulary.name) else { continue };
        if let Err(what) = confirm(&facts, &ops, failed, argument) {
            complaints.push(format!("{what}\n{}", text()));
        }
        // What is named is shown: it is in the core, unless it came later.
        let came_later = |id: &OpId| case.history.span(*id).call > failed;
        let shown = |id: &OpId| violation.core.contains(id) || came_later(id);
        if !argument.named().iter().all(shown) {
            complaints.push(format!("{} not in the core {:?}", text(), violation.core));
        }
        if !reason.ops().all(|id| argument.named().contains(&id)) {
            complaints.push(format!("the sentence names other operations: {}", text()));
        }
    }
    kinds
}

/// A store of texts that are appended to.
fn texts() -> Vocabulary<KeyValue<u8, String>> {
    use KeyValueOp::{Append, Get, Put};
    let value = |text: &str| KeyValueRet::Value((!text.is_empty()).then(|| text.to_owned()));
    let found = ["", "a", "b", "c", "ab", "ba", "abc", "acb", "xa", "xab", "bc", "ca", "axb"];
    Vocabulary::new("texts", KeyValue::new(None))
        .op(Get(0), found.map(value))
        .once(Append(0, "a".into()), [KeyValueRet::Done])
        .once(Append(0, "b".into()), [KeyValueRet::Done])
        .once(Append(0, "c".into()), [KeyValueRet::Done])
        .once(Put(0, "x".into()), [KeyValueRet::Done])
}

/// Containers of two values, which are added again and again, and hardly anything else is returned.
fn few_values() -> [Vocabulary<Erased>; 5] {
    let values = [None, Some(1), Some(2)];
    let queue = Vocabulary::new("queue", Queue::new())
        .op(QueueOp::Enqueue(1), [QueueRet::Done])
        .op(QueueOp::Enqueue(2), [QueueRet::Done])
        .op(QueueOp::Dequeue, values.map(QueueRet::Value))
        .op(QueueOp::Peek, values.map(QueueRet::Value));
    let stack = Vocabulary::new("stack", Stack::new())
        .op(StackOp::Push(1), [StackRet::Done])
        .op(StackOp::Push(2), [StackRet::Done])
        .op(StackOp::Pop, values.map(StackRet::Value))
        .op(StackOp::Peek, values.map(StackRet::Value));
    let priority_queue =
        Vocabulary::new("priority queue, largest first", PriorityQueue::new(Order::Max))
            .op(PriorityQueueOp::Insert(1), [PriorityQueueRet::Done])
            .op(PriorityQueueOp::Insert(2), [PriorityQueueRet::Done])
            .op(PriorityQueueOp::Poll, values.map(PriorityQueueRet::Value))
            .op(PriorityQueueOp::Peek, values.map(PriorityQueueRet::Value));
    let bag = Vocabulary::new("bag", Bag::new())
        .op(BagOp::Add(1), [BagRet::Done])
        .op(BagOp::Add(2), [BagRet::Done])
        .op(BagOp::Remove, values.map(BagRet::Value));
    let deque = Vocabulary::new("deque", Deque::new())
        .op(DequeOp::PushFront(1), [DequeRet::Done])
        .op(DequeOp::PushFront(2), [DequeRet::Done])
        .op(DequeOp::PushBack(1), [DequeRet::Done])
        .op(DequeOp::PushBack(2), [DequeRet::Done])
        .op(DequeOp::PopFront, values.map(DequeRet::Value))
        .op(DequeOp::PopBack, values.map(DequeRet::Value));
    [queue.erase(), stack.erase(), priority_queue.erase(), bag.erase(), deque.erase()]
}

fn count() -> u64 {
    match (is_long(), std::env::var_os("LINPOINT_QUICK")) {
        (true, _) => 100_000,
        (_, Some(_)) => 150,
        _ => 350,
    }
}

#[test]
fn every_argument_is_true() {
    let (mut all, mut violations, mut complaints) = (Kinds::new(), 0, Vec::new());
    let mut add = |name: &str, kinds: Kinds| {
        println!("{name}: {kinds:?}");
        for (kind, n) in kinds {
            *all.entry(kind).or_default() += n;
            violations += n;
        }
    };
    for vocabulary in corpus::all() {
        let larger = Params { max_ops: 16, ..Params::large() };
        for (params, cases) in [(Params::small(), (0xa49, count())), (larger, (0xa50, count() / 4))]
        {
            let kinds = explanations_hold(&vocabulary, params, cases, &mut complaints);
            add(vocabulary.name, kinds);
        }
    }
    for vocabulary in few_values() {
        let cases = (0xa52, 4 * count());
        let kinds = explanations_hold(&vocabulary, Params::small(), cases, &mut complaints);
        add(vocabulary.name, kinds);
    }
    let cases = (0xa51, 2 * count());
    add("texts", explanations_hold(&texts(), Params::small(), cases, &mut complaints));
    println!("{violations} violations: {all:?}");
    let few: Vec<String> = complaints.iter().take(12).cloned().collect();
    assert!(
        few.is_empty(),
        "{} of {violations} are wrong:\n{}",
        complaints.len(),
        few.join("\n\n")
    );
    for kind in [
        ReasonKind::Stale,
        ReasonKind::Phantom,
        ReasonKind::Future,
        ReasonKind::Missing,
        ReasonKind::Twice,
        ReasonKind::OutOfOrder,
        ReasonKind::NotEmpty,
        ReasonKind::Overlap,
        ReasonKind::Total,
    ] {
        assert!(all.contains_key(kind.name()), "no violation is of kind {}", kind.name());
    }
}

#[test]
fn scans_that_cannot_be_ordered_are_named() {
    let update = |segment, value, end| {
        Interval::new(SnapshotOp::Update(segment, value), SnapshotRet::Done, 0, end)
    };
    let scan = |values: [u8; 2], start, end| {
        let values = SnapshotRet::Values(values.into_iter().map(Some).collect());
        Interval::new(SnapshotOp::Scan, values, start, end)
    };
    let mut builder = History::from_intervals(Ties::Ordered);
    let rows = [update(0, 1, 10), update(1, 2, 11), scan([1, 0], 1, 5), scan([0, 2], 2, 6)];
    for row in rows {
        builder.add(row).unwrap();
    }
    let (spec, history) = (Snapshot { segments: 2, initial: 0 }, builder.finish().unwrap());
    let report = Checker::new(&spec).check(&history).unwrap();
    let violation = report.verdict.violation().expect("two scans contradict each other");
    let failing = violation.failing.unwrap();
    let argument = violation.reason.argument.as_ref().expect("an argument");
    assert_eq!(argument.kind(), ReasonKind::Crossed, "{}", violation.reason);
    let facts = facts("snapshot").unwrap();
    let ops = recorded(&spec, &history);
    confirm(&facts, &ops, history.span(failing).ret, argument).unwrap();
    assert_eq!(
        violation.reason.to_string(),
        "scan() -> [0, 2] saw update(1, 2) but not update(0, 1); scan() -> [1, 0] saw it the other \
         way round"
    );
}

/// Of elements that were pushed at one end, the last is the nearest to it. Random histories have too few of them to show
/// that.
#[test]
fn what_was_pushed_earlier_at_the_same_end_is_behind() {
    use DequeOp::{PopBack, PopFront, PushBack, PushFront};
    let (spec, facts) = (Deque::new(), facts("deque").unwrap());
    let argument = |ops: &[(DequeOp<u8>, Option<u8>)]| {
        let mut events = History::from_events();
        for (op, value) in ops {
            let is_pop = matches!(op, PopFront | PopBack);
            let id = events.call(op.clone());
            events.ret(id, if is_pop { DequeRet::Value(*value) } else { DequeRet::Done }).unwrap();
        }
        let history = events.finish();
        let report = Checker::new(&spec).check(&history).unwrap();
        let violation = report.verdict.violation().expect("the last pop is wrong");
        let failing = violation.failing.expect("an explanation that an engine confirms");
        assert_eq!(failing.index(), ops.len() - 1);
        let argument = violation.reason.argument.clone();
        if let Some(argument) = &argument {
            let failed = history.span(failing).ret;
            confirm(&facts, &recorded(&spec, &history), failed, argument).unwrap();
        }
        argument
    };
    let front = (PushFront as fn(u8) -> DequeOp<u8>, PopFront, PopBack, Rule::Front);
    let back = (PushBack as fn(u8) -> DequeOp<u8>, PopBack, PopFront, Rule::Back);
    for (push, pop, pop_across, rule) in [front, back] {
        let pushes = [3, 1, 2, 3].map(|value| (push(value), None));
        let wrong = [(pop.clone(), Some(2))];
        let (waiting, added, taker) = (OpId(2), OpId(1), OpId(3));
        let expected = Argument::OutOfOrder { rule, waiting, added, taker };
        assert_eq!(argument(&[&pushes[1..], &wrong].concat()), Some(expected));
        // Only the second 3 is in the way now, and whether the other end gave the first is hard to say. Whatever is said
        // has to be true.
        argument(&[&pushes[..], &[(pop_across, Some(3))], &wrong].concat());
    }
}

/// The checker of arguments notices what is wrong.
#[test]
fn false_arguments_are_not_confirmed() {
    let rows = ["write(1)", "write(2)", "read()", "read()"];
    let rets = [Some("ok"), Some("ok"), Some("1"), Some("2")];
    let row = |at: usize| Recorded {
        op: rows[at].into(),
        ret: rets[at].map(Into::into),
        span: Span { call: 2 * at as u32, ret: 2 * at as u32 + 1 },
        object: None,
        process: None,
    };
    let ops: Vec<Recorded> = (0..rows.len()).map(row).collect();
    let facts = facts("register").unwrap();
    let confirmed = |argument: &Argument| confirm(&facts, &ops, 5, argument).is_ok();
    let stale = |reader, gone, last| Argument::Stale {
        reader: OpId(reader),
        gone: OpId(gone),
        last,
        writers: Vec::new(),
    };
    assert!(confirmed(&stale(2, 1, Last::Write(OpId(0)))));
    for wrong in [
        stale(3, 1, Last::Write(OpId(0))),
        stale(2, 0, Last::Write(OpId(0))),
        stale(2, 1, Last::Write(OpId(1))),
        stale(2, 1, Last::Initial),
        stale(2, 1, Last::Seen(OpId(3))),
        Argument::Phantom { reader: OpId(2) },
        Argument::Future { reader: OpId(2), writer: OpId(0), writers: 1 },
        Argument::Twice { takers: vec![OpId(2), OpId(3)], adders: vec![OpId(0)] },
    ] {
        assert!(!confirmed(&wrong), "{wrong:?}");
    }
}
