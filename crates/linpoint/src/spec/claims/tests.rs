//! Every kind of false claim is found.

mod shapes;

use super::check_claims;
use crate::spec::models::{Queue, QueueOp, QueueRet};
use crate::spec::{Claims, EffectiveClaims, Footprint, PartView, Refutation, Spec, Traces};

#[derive(Clone, Copy, PartialEq)]
enum Lie {
    None,
    OutcomesForget,
    SuccessorsForget,
    WriteIsRead,
    OwnFootprint,
    ReadSensesNothing,
    UnknownReadSensesNothing,
    ActsBlindly,
    AllAlike,
    Idle,
    RefuteAll,
    RefuteTooFew,
}

/// A register with a test-and-set: `Some(v)` writes, `None` sets 1 if it is 0. Both give what was
/// there before.
struct Liar(Lie);

impl Liar {
    fn step(state: u8, op: Option<u8>) -> (u8, u8) {
        (state, op.unwrap_or(if state == 0 { 1 } else { state }))
    }
}

impl Spec for Liar {
    type Op = Option<u8>;
    type Ret = u8;
    type State = u8;

    fn initial(&self) -> u8 {
        0
    }

    fn successors(&self, state: &u8, op: &Option<u8>, ret: Option<&u8>, next: &mut Vec<u8>) {
        let (got, after) = Liar::step(*state, *op);
        let forgotten = self.0 == Lie::SuccessorsForget && ret.is_none() && op.is_none();
        if ret.is_none_or(|r| *r == got) && !forgotten {
            next.push(after);
        }
    }

    fn outcomes(&self, state: &u8, op: &Option<u8>, out: &mut Vec<(u8, u8)>) -> bool {
        if self.0 != Lie::OutcomesForget || *state != 2 {
            out.push(Liar::step(*state, *op));
        }
        true
    }

    fn footprint(&self, op: &Option<u8>) -> Footprint {
        if self.0 == Lie::OwnFootprint { Footprint::key(op) } else { Footprint::Whole }
    }

    fn is_read(&self, op: &Option<u8>, ret: Option<&u8>) -> bool {
        let read = op.is_none() && ret.is_some_and(|r| *r != 0);
        read || (self.0 == Lie::WriteIsRead && *op == Some(2))
    }

    fn claims(&self) -> Option<&dyn Claims<Self::Op, Self::Ret>> {
        Some(self)
    }
}

impl Claims<Option<u8>, u8> for Liar {
    fn leaves(&self, op: &Option<u8>) -> Traces {
        Traces::one(&op.unwrap_or(1))
    }

    fn senses(&self, op: &Option<u8>, ret: Option<&u8>) -> Traces {
        match (op, ret) {
            (_, Some(_)) if self.0 == Lie::ReadSensesNothing => Traces::none(),
            (None, None) if self.0 == Lie::UnknownReadSensesNothing => Traces::none(),
            (_, Some(v)) => Traces::one(v),
            (Some(_), None) => Traces::none(),
            (None, None) => Traces::any_and(&0u8),
        }
    }

    fn senses_to_act(&self, op: &Option<u8>) -> Traces {
        match op {
            // It acts on a 0 only.
            None if self.0 != Lie::ActsBlindly => Traces::one(&0u8),
            _ => Traces::none(),
        }
    }

    fn anonymous_kind(&self, op: &Option<u8>) -> Option<u64> {
        op.map(|_| 0)
    }

    fn idle_unless_named(&self, _op: &Option<u8>) -> bool {
        // All results name what was there. And a pending write of 0 that lets a pending
        // test-and-set work, whose 1 is then named, is named by that.
        true
    }

    fn refute(&self, part: &PartView<'_, Option<u8>, u8>) -> Option<Refutation> {
        let refutation = |ops| Some(Refutation { ops, reason: "so it is".into() });
        match self.0 {
            Lie::RefuteAll => refutation(part.iter().take(1).map(|view| view.id).collect()),
            Lie::RefuteTooFew => {
                // True of both, but only one is named.
                let mut zero = part.iter().filter(|v| v.ret == Some(&0) && *v.op != Some(0));
                let (a, _) = (zero.next()?, zero.next()?);
                let back = part.iter().any(|v| *v.op == Some(0));
                if back { None } else { refutation(vec![a.id]) }
            }
            _ => None,
        }
    }
}

const OPS: [Option<u8>; 6] = [None, Some(0), Some(1), Some(2), Some(3), Some(4)];

fn error(lie: Lie) -> String {
    check_claims(&Liar(lie), &OPS, 7, 3000).unwrap_err().to_string()
}

#[test]
fn the_truth_passes() {
    for seed in 0..5 {
        check_claims(&Liar(Lie::None), &OPS, seed, 1000).unwrap();
    }
}

#[test]
fn no_operations_no_claims() {
    check_claims(&Liar(Lie::RefuteAll), &[], 1, 10).unwrap();
}

#[test]
fn lies_are_found() {
    assert!(error(Lie::OutcomesForget).starts_with("outcomes and successors disagree"));
    assert!(error(Lie::SuccessorsForget).starts_with("outcomes and successors disagree"));
    assert!(error(Lie::WriteIsRead).starts_with("is_read: Some(2)"));
    assert!(error(Lie::OwnFootprint).starts_with("footprint: "));
    assert!(error(Lie::ReadSensesNothing).starts_with("leaves/senses: "));
    assert!(error(Lie::UnknownReadSensesNothing).starts_with("leaves/senses: None -> ? after"));
    assert!(error(Lie::ActsBlindly).starts_with("leaves/senses_to_act: None -> ? after Some(0)"));
    assert!(error(Lie::RefuteAll).starts_with("refute: "));
    assert!(error(Lie::RefuteTooFew).starts_with("refute: "));
}

#[test]
fn a_seed_gives_the_same_answer_again() {
    assert_eq!(error(Lie::RefuteTooFew), error(Lie::RefuteTooFew));
}

/// A bounded queue that says what is true of unbounded ones only.
struct Bounded(Queue<u8>, Lie);

impl Spec for Bounded {
    type Op = QueueOp<u8>;
    type Ret = QueueRet<u8>;
    type State = <Queue<u8> as Spec>::State;

    fn initial(&self) -> Self::State {
        self.0.initial()
    }

    fn successors(
        &self,
        state: &Self::State,
        op: &Self::Op,
        ret: Option<&Self::Ret>,
        next: &mut Vec<Self::State>,
    ) {
        self.0.successors(state, op, ret, next);
    }

    fn outcomes(
        &self,
        state: &Self::State,
        op: &Self::Op,
        out: &mut Vec<(Self::Ret, Self::State)>,
    ) -> bool {
        self.1 != Lie::OutcomesForget && self.0.outcomes(state, op, out)
    }

    fn is_read(&self, op: &Self::Op, _ret: Option<&Self::Ret>) -> bool {
        self.1 == Lie::OutcomesForget && *op == QueueOp::Dequeue
    }

    fn claims(&self) -> Option<&dyn Claims<Self::Op, Self::Ret>> {
        Some(self)
    }
}

impl Claims<QueueOp<u8>, QueueRet<u8>> for Bounded {
    fn leaves(&self, op: &QueueOp<u8>) -> Traces {
        EffectiveClaims::of(&self.0).leaves(op)
    }

    fn senses(&self, op: &QueueOp<u8>, ret: Option<&QueueRet<u8>>) -> Traces {
        EffectiveClaims::of(&self.0).senses(op, ret)
    }

    fn anonymous_kind(&self, op: &QueueOp<u8>) -> Option<u64> {
        (self.1 == Lie::AllAlike || matches!(op, QueueOp::Enqueue(_))).then_some(0)
    }

    fn idle_unless_named(&self, op: &QueueOp<u8>) -> bool {
        self.1 == Lie::Idle && matches!(op, QueueOp::Enqueue(_))
    }
}

const QUEUE_OPS: [QueueOp<u8>; 4] =
    [QueueOp::Enqueue(1), QueueOp::Enqueue(2), QueueOp::Dequeue, QueueOp::Peek];

#[test]
fn a_full_queue_is_not_idle() {
    let lie = Bounded(Queue::bounded(1), Lie::Idle);
    let error = check_claims(&lie, &QUEUE_OPS, 1, 500).unwrap_err().to_string();
    assert!(error.starts_with("idle_unless_named: pending Enqueue"), "{error}");
    check_claims(&Bounded(Queue::bounded(1), Lie::None), &QUEUE_OPS, 1, 500).unwrap();
    check_claims(&Bounded(Queue::new(), Lie::Idle), &QUEUE_OPS, 1, 500).unwrap();
}

#[test]
fn an_enqueue_is_no_dequeue() {
    let lie = Bounded(Queue::bounded(1), Lie::AllAlike);
    let error = check_claims(&lie, &QUEUE_OPS, 1, 500).unwrap_err().to_string();
    assert!(error.starts_with("anonymous_kind: "), "{error}");
}

#[test]
fn claims_about_unknown_results_need_no_outcomes() {
    let lie = Bounded(Queue::new(), Lie::OutcomesForget);
    let error = check_claims(&lie, &QUEUE_OPS, 1, 100).unwrap_err().to_string();
    assert!(error.starts_with("is_read: Dequeue"), "{error}");
}
