//! A model that exists only at run time, written outside the library. Operations and states are
//! text, and a table that could come from a script defines what they do.

use std::collections::HashMap;

use linpoint::history::{Interval, Span, Ties, Timeline};
use linpoint::spec::{Name, Role, Shape, Traces};
use linpoint::subject::{
    Budget, Call, ClassId, Classes, Operations, Place, RetId, Row, Session, StateId, Stop, Subject,
};
use linpoint::{Checker, History, OpId, Verdict};

/// Maps (state, operation) to (result, next state).
type Table = HashMap<(String, String), (String, String)>;

/// A table, and the operations of a history with their results.
struct Scripted {
    table: Table,
    ops: Vec<String>,
    rets: Vec<Option<String>>,
}

impl Scripted {
    fn result(&self, ret: RetId) -> Option<&String> {
        self.rets.get(ret.0 as usize)?.as_ref()
    }

    fn step(&self, state: &str, op: OpId) -> Option<&(String, String)> {
        self.table.get(&(state.to_owned(), self.ops[op.index()].clone()))
    }
}

impl Operations for Scripted {
    fn is_known(&self, ret: RetId) -> bool {
        self.result(ret).is_some()
    }

    fn describe_op(&self, op: OpId) -> String {
        self.ops[op.index()].clone()
    }

    fn describe_ret(&self, call: Call) -> String {
        self.result(call.ret).cloned().unwrap_or_default()
    }
}

impl Subject for Scripted {
    fn len(&self) -> usize {
        self.ops.len()
    }

    fn classes(&self) -> Box<dyn Classes + '_> {
        Box::new(ByText { scripted: self, known: HashMap::new() })
    }

    fn session(&self) -> Box<dyn Session + '_> {
        Box::new(States { scripted: self, states: Vec::new() })
    }
}

struct ByText<'a> {
    scripted: &'a Scripted,
    known: HashMap<(&'a str, Option<&'a String>), ClassId>,
}

impl Classes for ByText<'_> {
    fn clear(&mut self) {
        self.known.clear();
    }

    fn classify(&mut self, calls: &[Call], classes: &mut Vec<ClassId>) {
        for call in calls {
            let text = self.scripted.ops[call.op.index()].as_str();
            let next = ClassId(self.known.len() as u32);
            let key = (text, self.scripted.result(call.ret));
            classes.push(*self.known.entry(key).or_insert(next));
        }
    }
}

struct States<'a> {
    scripted: &'a Scripted,
    states: Vec<String>,
}

impl States<'_> {
    fn number(&mut self, state: &str) -> StateId {
        let at = self.states.iter().position(|known| known == state).unwrap_or_else(|| {
            self.states.push(state.to_owned());
            self.states.len() - 1
        });
        StateId(at as u32)
    }
}

impl Session for States<'_> {
    fn initial(&mut self, _budget: &mut Budget<'_>) -> Result<StateId, Stop> {
        Ok(self.number("off"))
    }

    fn step(
        &mut self,
        state: StateId,
        call: Call,
        next: &mut Vec<StateId>,
        _budget: &mut Budget<'_>,
    ) -> Result<(), Stop> {
        let scripted = self.scripted;
        let Some((ret, after)) = scripted.step(&self.states[state.index()], call.op) else {
            let message = "the script has no such step".to_owned();
            return Err(Stop::SpecPanicked { op: Some(call.op), message });
        };
        if scripted.result(call.ret).is_none_or(|recorded| recorded == ret) {
            next.push(self.number(after));
        }
        Ok(())
    }

    fn outcomes(
        &mut self,
        _state: StateId,
        _op: OpId,
        _out: &mut Vec<(RetId, StateId)>,
        _budget: &mut Budget<'_>,
    ) -> Result<bool, Stop> {
        Ok(false) // the allowed results are not listed
    }

    fn keep_only(&mut self, live: &mut [StateId], _budget: &mut Budget<'_>) {
        let kept: Vec<String> = live.iter().map(|id| self.states[id.index()].clone()).collect();
        self.states.clear();
        for (id, state) in live.iter_mut().zip(kept) {
            *id = self.number(&state);
        }
    }

    fn describe(&self, state: StateId) -> String {
        self.states[state.index()].clone()
    }

    fn bytes(&self, state: StateId) -> usize {
        self.states[state.index()].len()
    }
}

/// A light switch with `toggle` and `look`, and a history of it: text, result, call, return.
fn switch(ops: &[(&str, &str, u64, u64)]) -> (Scripted, Timeline) {
    let step = |state: &str, op: &str, ret: &str, after: &str| {
        ((state.to_owned(), op.to_owned()), (ret.to_owned(), after.to_owned()))
    };
    let table = HashMap::from([
        step("off", "toggle", "ok", "on"),
        step("on", "toggle", "ok", "off"),
        step("off", "look", "off", "off"),
        step("on", "look", "on", "on"),
    ]);
    let mut history = History::from_intervals(Ties::Concurrent);
    for (_, _, start, end) in ops {
        history.add(Interval::new((), (), *start, *end)).unwrap();
    }
    let scripted = Scripted {
        table,
        ops: ops.iter().map(|(op, ..)| (*op).to_owned()).collect(),
        rets: ops.iter().map(|(_, ret, ..)| Some((*ret).to_owned())).collect(),
    };
    (scripted, history.finish().unwrap().timeline().clone())
}

#[test]
fn a_model_from_outside_is_checked_and_explained() {
    let fine = [("toggle", "ok", 0, 9), ("look", "on", 1, 2), ("look", "on", 3, 4)];
    let (subject, timeline) = switch(&fine);
    let report = Checker::of_subject(&subject).check(&timeline).unwrap();
    let Verdict::Linearizable(witness) = report.verdict else { panic!("{:?}", report.verdict) };
    assert_eq!(witness.order, [OpId(0), OpId(1), OpId(2)]);

    let flickers = [("toggle", "ok", 0, 9), ("look", "on", 1, 2), ("look", "off", 3, 4)];
    let (subject, timeline) = switch(&flickers);
    let report = Checker::of_subject(&subject).check(&timeline).unwrap();
    let violation = report.verdict.violation().expect("it was on before it was off");
    assert_eq!((violation.failing, violation.core.len()), (Some(OpId(2)), 2));
    assert!(violation.reason.to_string().contains("look returned off"), "{}", violation.reason);
}

#[test]
fn a_failing_script_is_an_error_that_names_the_operation() {
    let (subject, timeline) = switch(&[("look", "off", 0, 1), ("smash", "ok", 2, 3)]);
    let error = Checker::of_subject(&subject).check(&timeline).unwrap_err();
    assert!(error.to_string().contains("smash: the script has no such step"), "{error}");
}

/// A scripted queue: what its operations mean is looked up by their names.
struct ScriptedQueue {
    ops: Vec<&'static str>,
    rets: Vec<Option<&'static str>>,
    has_size: bool,
}

impl Operations for ScriptedQueue {
    fn is_known(&self, ret: RetId) -> bool {
        self.rets.get(ret.0 as usize).is_some_and(Option::is_some)
    }

    fn describe_op(&self, op: OpId) -> String {
        self.ops[op.index()].to_owned()
    }

    fn describe_ret(&self, call: Call) -> String {
        self.rets[call.ret.0 as usize].unwrap_or("?").to_owned()
    }

    fn shape(&self) -> Shape {
        Shape::Queue
    }

    fn is_complete(&self) -> bool {
        !self.has_size
    }

    fn role(&self, call: Call, _pending: bool) -> Role {
        let ret = self.rets.get(call.ret.0 as usize).copied().flatten();
        match (self.ops[call.op.index()].split_once(' '), ret) {
            (Some(("send", letter)), _) => Role::Add(Name::of(letter)),
            (None, None) => Role::Take,
            (None, Some("none")) => Role::Empty,
            (None, Some(letter)) => Role::Remove(Name::of(letter)),
            _ => Role::Foreign("a queue has no size"),
        }
    }

    fn same_name(&self, _a: Place, _b: Place) -> bool {
        true
    }
}

impl Subject for ScriptedQueue {
    fn len(&self) -> usize {
        self.ops.len()
    }

    fn classes(&self) -> Box<dyn Classes + '_> {
        unreachable!("the claims alone are asked for")
    }

    fn session(&self) -> Box<dyn Session + '_> {
        unreachable!("the claims alone are asked for")
    }
}

#[test]
fn a_model_from_outside_gets_the_claims_of_its_shape() {
    let ops = vec!["send a", "receive", "receive"];
    let rets = vec![Some("ok"), Some("a"), Some("a")];
    let queue = ScriptedQueue { ops, rets, has_size: false };
    assert!(queue.idle_unless_named(OpId(0)) && !queue.idle_unless_named(OpId(1)));
    let found = queue.senses(Call::recorded(OpId(1)));
    assert_eq!(queue.leaves(OpId(0)).names(), found.names());
    assert!(queue.needs_unnamed(Call::unknown(OpId(1))));
    let row = |id| {
        let span = Span { call: id, ret: 3 + id };
        Row { id: OpId(id), call: Call::recorded(OpId(id)), span }
    };
    let rows = [row(0), row(1), row(2)];
    let refutation = queue.refute(&rows).expect("it was sent once");
    assert_eq!(refutation.ops, [OpId(1), OpId(2)]);
    let expected = "receive -> a and receive -> a removed what was there at most once";
    assert_eq!(refutation.reason.to_string(), expected);
    assert_eq!(queue.guide(&rows), Some(vec![1, 0, u64::MAX]));
}

#[test]
fn a_model_with_other_operations_gets_only_what_is_safe() {
    let ops = vec!["send a", "receive", "receive", "size of"];
    let rets = vec![Some("ok"), Some("a"), Some("a"), Some("1")];
    let queue = ScriptedQueue { ops, rets, has_size: true };
    assert!(!queue.idle_unless_named(OpId(0)));
    assert_eq!(queue.leaves(OpId(0)), Traces::Any);
    let row = |id| {
        let span = Span { call: id, ret: 4 + id };
        Row { id: OpId(id), call: Call::recorded(OpId(id)), span }
    };
    let rows = [row(0), row(1), row(2), row(3)];
    assert!(queue.refute(&rows).is_none(), "it is not known what the last operation does");
    assert!(queue.refute(&rows[..3]).is_some());
}
