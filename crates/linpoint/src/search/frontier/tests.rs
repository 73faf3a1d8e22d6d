//! The two ways to drop twins keep the same choices.

use super::super::problem::{Scratch, compile};
use super::*;
use crate::budget::{Budget, Memory};
use crate::check::Hints;
use crate::history::{Extras, History, Interval, OrderHint, Ties};
use crate::spec::models::{Register, RegisterOp, RegisterRet};
use crate::split::Split;
use crate::subject::{Case, Typed};

/// Writes of three values, most of them open together. Some never return, some have positions.
fn writes(rng: &mut fastrand::Rng) -> History<RegisterOp<u32>, RegisterRet<u32>> {
    let mut builder = History::from_intervals(Ties::Concurrent);
    for position in 0..rng.u64(2..=60) {
        let start = rng.u64(..20);
        let is_pending = rng.u32(..8) == 0;
        let hint = (rng.u32(..4) == 0).then_some(OrderHint { scope: 0, position });
        let interval = Interval {
            op: RegisterOp::Write(rng.u32(1..=3)),
            ret: (!is_pending).then_some(RegisterRet::Written),
            start,
            end: (!is_pending).then(|| start + rng.u64(1..40)),
            extras: Extras { hint, ..Extras::default() },
        };
        builder.add(interval).expect("a return after its call");
    }
    builder.finish().expect("no process is named")
}

#[test]
fn twins_of_many_moves_are_those_of_few() {
    let (spec, mut rng) = (Register { initial: 0 }, fastrand::Rng::with_seed(3));
    // Pending writes stay, although nothing reads them.
    let all = Switches { first_of_class: false, drop_idle_pending: false, ..Switches::default() };
    let memory = Memory::unlimited();
    let (mut dropped, mut kept) = (0, 0);
    for round in 0..400 {
        let history = writes(&mut rng);
        let typed = Typed::new(&spec, &history);
        let case = Case::new(&typed, history.timeline());
        let split = Split::whole(history.timeline());
        let hints = if round % 2 == 0 { Hints::Assert } else { Hints::Ignore };
        let mut problem = compile(&case, split.events(0), hints, &all, &mut Scratch::new(&case));
        let ops = problem.ids.len() as u32;
        if ops == 0 {
            continue;
        }
        problem.tracked = (round % 3 == 0).then(|| rng.u32(..ops));
        let order = [MoveOrder::CallFirst, MoveOrder::ReturnFirst][rng.usize(..2)];
        let mut frontier = Frontier::<u64>::new(&problem, all, order);
        let ledger = Ledger::new(true);
        while !frontier.is_at_end() {
            let (returns, mask) = (frontier.returns(), rng.u64(..) & rng.u64(..));
            let config = Config { returns, state: StateId(0), used: 0, mask };
            // What is there already stays.
            let begin = rng.usize(..3);
            let mut few = vec![Choice::op(0); begin];
            let budget = &mut Budget::new(None, &memory);
            frontier.push_moves(&config, &ledger, &mut few, budget).expect("no limit");
            let (mut many, before) = (few.clone(), few.len());
            frontier.drop_twins(begin, &mut few);
            frontier.drop_many_twins(begin, &mut many);
            assert_eq!(many, few, "round {round}");
            dropped += before - few.len();
            kept += few.len();
            frontier.advance();
        }
    }
    assert!(dropped > 1_000 && kept > 1_000, "{dropped} dropped, {kept} kept");
}
