//! Likely orders of simulated runs: how many are right.

use crate::random::SplitMix64;
use crate::spec::models::*;
use crate::spec::{EffectiveClaims, Returned, Spec};

/// A completed operation: process, what was called, what was returned, call, end.
type Op<S> = (u32, <S as Spec>::Op, <S as Spec>::Ret, u64, u64);

/// Where an operation of a process is.
enum Stage<S: Spec> {
    Idle,
    Called(S::Op, u64),
    Done(S::Op, S::Ret, u64),
}

/// A linearizable run of four processes, in the order of returns. Operations take effect at any time between call and
/// return.
fn simulated<S: Spec>(spec: &S, draw: Draw<S>, random: &mut SplitMix64) -> Vec<Op<S>> {
    const OPERATIONS: usize = 40;
    let mut state = spec.initial();
    let mut stages: Vec<Stage<S>> = (0..4).map(|_| Stage::Idle).collect();
    let (mut run, mut called) = (Vec::new(), 0);
    for now in 0.. {
        if run.len() == OPERATIONS {
            break;
        }
        let process = random.index(stages.len());
        let stage = &mut stages[process];
        *stage = match std::mem::replace(stage, Stage::Idle) {
            Stage::Idle if called == OPERATIONS => Stage::Idle,
            Stage::Idle => {
                called += 1;
                Stage::Called(draw(random), now)
            }
            Stage::Called(op, call) => {
                let mut outcomes = Vec::new();
                spec.outcomes(&state, &op, &mut outcomes);
                let chosen = random.index(outcomes.len());
                let (ret, after) = outcomes.swap_remove(chosen);
                state = after;
                Stage::Done(op, ret, call)
            }
            Stage::Done(op, ret, call) => {
                run.push((process as u32, op, ret, call, now));
                Stage::Idle
            }
        };
    }
    run
}

/// True if the order has every operation once, respects real time, and is legal.
fn is_right<S: Spec>(spec: &S, run: &[Returned<'_, S::Op, S::Ret>], order: &[u32]) -> bool {
    let mut latest_call = 0;
    let in_time = order.iter().all(|at| {
        let op = &run[*at as usize];
        latest_call = op.call.max(latest_call);
        latest_call <= op.end
    });
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    let mut calls = order.iter().map(|at| (run[*at as usize].op, Some(run[*at as usize].ret)));
    sorted.iter().copied().eq(0..run.len() as u32)
        && in_time
        && spec.replay(&mut calls) == Some(Ok(()))
}

type Draw<S> = fn(&mut SplitMix64) -> <S as Spec>::Op;

/// At least this share of the runs (in percent) is guessed. All four processes overlap all the time: runs of real objects are
/// easier.
fn guesses<S: Spec>(spec: &S, draw: Draw<S>, least: usize) {
    const RUNS: usize = 2_000;
    let claims = EffectiveClaims::of(spec);
    let mut random = SplitMix64::new(3);
    let (mut right, mut as_returned) = (0, 0);
    for _ in 0..RUNS {
        let ops = simulated(spec, draw, &mut random);
        let returned =
            |&(process, ref op, ref ret, call, end)| Returned { process, op, ret, call, end };
        let run: Vec<_> = ops.iter().map(returned).collect();
        let identity: Vec<u32> = (0..run.len() as u32).collect();
        as_returned += usize::from(is_right(spec, &run, &identity));
        let order = claims.likely_order(&run);
        right += usize::from(order.is_some_and(|order| is_right(spec, &run, &order)));
    }
    let name = std::any::type_name::<S>();
    assert!(100 * right >= least * RUNS, "{name}: only {right} of {RUNS} runs were guessed");
    assert!(right >= as_returned, "{name}: the order of returns was better");
}

fn below(random: &mut SplitMix64, n: u64) -> u64 {
    random.up_to(n - 1)
}

#[test]
fn containers() {
    fn queue(random: &mut SplitMix64) -> QueueOp<u64> {
        match below(random, 10) {
            0..4 => QueueOp::Enqueue(random.next_u64()),
            4 => QueueOp::Peek,
            _ => QueueOp::Dequeue,
        }
    }
    guesses(&Queue::new(), queue, 50);
    fn stack(random: &mut SplitMix64) -> StackOp<u64> {
        match below(random, 10) {
            0..5 => StackOp::Push(random.next_u64()),
            5 => StackOp::Peek,
            _ => StackOp::Pop,
        }
    }
    guesses(&Stack::new(), stack, 50);
    fn priority_queue(random: &mut SplitMix64) -> PriorityQueueOp<u64> {
        match below(random, 10) {
            0..5 => PriorityQueueOp::Insert(below(random, 1000)),
            5 => PriorityQueueOp::Peek,
            _ => PriorityQueueOp::Poll,
        }
    }
    guesses(&PriorityQueue::new(Order::Max), priority_queue, 50);
    fn bag(random: &mut SplitMix64) -> BagOp<u64> {
        match below(random, 2) {
            0 => BagOp::Add(random.next_u64()),
            _ => BagOp::Remove,
        }
    }
    guesses(&Bag::new(), bag, 90);
}

#[test]
fn sets() {
    fn set(random: &mut SplitMix64) -> SetOp<u64> {
        let kinds = [SetOp::Insert, SetOp::Remove, SetOp::Contains];
        kinds[random.index(3)](below(random, 4))
    }
    // The guess is exact.
    guesses(&Set::new(), set, 100);
}

#[test]
fn registers_and_maps() {
    fn register(random: &mut SplitMix64) -> RegisterOp<u64> {
        match below(random, 2) {
            0 => RegisterOp::Write(random.next_u64()),
            _ => RegisterOp::Read,
        }
    }
    guesses(&Register { initial: 0 }, register, 75);
    fn cas(random: &mut SplitMix64) -> CasRegisterOp<u64> {
        match below(random, 4) {
            0 => CasRegisterOp::Write(below(random, 4)),
            1 => CasRegisterOp::Read,
            _ => CasRegisterOp::Cas(below(random, 4), below(random, 4)),
        }
    }
    guesses(&CasRegister { initial: 0 }, cas, 70);
    fn map(random: &mut SplitMix64) -> KeyValueOp<u64, u64> {
        let (key, value) = (below(random, 3), below(random, 1000));
        match below(random, 5) {
            0 => KeyValueOp::Get(key),
            1 => KeyValueOp::Put(key, value),
            2 => KeyValueOp::Delete(key),
            3 => KeyValueOp::Remove(key),
            _ => KeyValueOp::GetOrElseUpdate(key, value),
        }
    }
    guesses(&KeyValue::new(None), map, 75);
}

#[test]
fn counters() {
    fn counter(random: &mut SplitMix64) -> CounterOp {
        match below(random, 3) {
            0 => CounterOp::Get,
            1 => CounterOp::Add(1),
            _ => CounterOp::FetchAdd(1),
        }
    }
    guesses(&Counter { initial: 0 }, counter, 99);
    fn mixed(random: &mut SplitMix64) -> CounterOp {
        let by = below(random, 5) as i64 - 2;
        [CounterOp::Get, CounterOp::Add(by), CounterOp::FetchAdd(by)][random.index(3)].clone()
    }
    guesses(&Counter { initial: 0 }, mixed, 35);
}
