//! Guesses a linearization: operations took effect in the order in which they returned, or nearly
//! so. The guess succeeds for most runs of a correct object.
//!
//! That order respects real time: an operation that returned before another was called also
//! returned before it. So if [`Spec::replay`] accepts the order, the run is linearizable, and
//! neither a history nor a search is needed. Most specifications suggest a better order
//! ([`Claims::likely_order`](linpoint::spec::Claims::likely_order)), which is checked in the same way; what was right for the last run is
//! tried first. For the others, if an operation is not legal, an operation that overlaps it and returned a little later may have taken effect
//! before it: a few such changes are tried. If they do not help, the checker decides. A failed
//! guess costs time and never changes a verdict.

use std::panic::{AssertUnwindSafe, catch_unwind};

use linpoint::Spec;
use linpoint::spec::{EffectiveClaims, Returned};

use super::round::Round;
use crate::record::sheet::Entry;

/// Give up after replaying `EFFORT` × the number of operations in the run.
const EFFORT: usize = 4;
/// How far behind an illegal operation to look for one that took effect before it.
const REACH: usize = 4;

/// Guesses, and skips most guesses while they keep failing.
#[derive(Debug, Default)]
pub(crate) struct Guesser {
    /// A failed guess adds two, a successful one takes one back.
    penalty: u32,
    skipped: u32,
    /// The order of returns was wrong the last time.
    reorders: bool,
}

/// The result of a guess.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Guess {
    /// Linearizable in the order of returns.
    AsReturned,
    /// Linearizable in another order.
    Reordered,
    /// Not known.
    Unknown,
}

/// What the order of returns reveals about a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Order {
    pub(crate) guess: Guess,
    /// True if operations of different threads overlapped.
    pub(crate) overlaps: bool,
    /// The number of operations in the middle of which another thread performed a whole operation.
    pub(crate) interrupted: u64,
}

impl Guesser {
    /// Guesses an order for a run that has ended.
    pub(crate) fn guess<T, S: Spec>(&mut self, spec: &S, round: &Round<T, S>) -> Order {
        const TOO_MUCH: u32 = 16;
        const SKIP: u32 = 16;
        let Some(order) = by_return(round) else {
            return Order { guess: Guess::Unknown, overlaps: true, interrupted: 0 };
        };
        let (overlaps, interrupted) = concurrency(&order);
        if self.penalty >= TOO_MUCH && self.skipped < SKIP {
            self.skipped += 1;
            return Order { guess: Guess::Unknown, overlaps, interrupted };
        }
        self.skipped = 0;
        let guess = try_guess(spec, order, !self.reorders);
        self.reorders = guess != Guess::AsReturned;
        self.penalty = match guess {
            Guess::Unknown => (self.penalty + 2).min(TOO_MUCH + 1),
            _ => self.penalty.saturating_sub(1),
        };
        Order { guess, overlaps, interrupted }
    }
}

/// Whether operations overlapped, and how many contain a whole operation of another thread. The last
/// operation that returned before another one is the one most likely to overlap it, and if it does not, none
/// does. Whether the other one contains it is also decided by this neighbour alone, which counts too few with
/// more than two threads.
fn concurrency<O, R>(order: &[Returned<'_, O, R>]) -> (bool, u64) {
    let (mut overlaps, mut interrupted) = (false, 0);
    for pair in order.windows(2) {
        let (before, after) = (&pair[0], &pair[1]);
        if before.process != after.process && after.call < before.end {
            overlaps = true;
            interrupted += u64::from(after.call < before.call);
        }
    }
    (overlaps, interrupted)
}

/// The next operation of a thread, and the number of the one after it.
type Next<'a, S> = (usize, Option<Returned<'a, <S as Spec>::Op, <S as Spec>::Ret>>);

/// True if `later` may have taken effect before `earlier`, which returned before it.
fn may_precede<O, R>(later: &Returned<'_, O, R>, earlier: &Returned<'_, O, R>) -> bool {
    later.process != earlier.process && later.call <= earlier.end
}

/// Guesses; the order of returns first, if it is likely to be right.
fn try_guess<S: Spec>(
    spec: &S,
    order: Vec<Returned<'_, S::Op, S::Ret>>,
    returns_first: bool,
) -> Guess {
    if returns_first && replay(spec, order.iter()) == Some(Ok(())) {
        return Guess::AsReturned;
    }
    let likely = catch_unwind(AssertUnwindSafe(|| EffectiveClaims::of(spec).likely_order(&order)));
    match likely {
        Ok(Some(likely)) => try_order(spec, &order, &likely),
        _ => try_changes(spec, order),
    }
}

/// Tries an order, given by positions.
fn try_order<S: Spec>(spec: &S, run: &[Returned<'_, S::Op, S::Ret>], order: &[u32]) -> Guess {
    let is_legal = order.len() == run.len()
        && respects_real_time(run, order)
        && replay(spec, order.iter().map(|at| &run[*at as usize])) == Some(Ok(()));
    match is_legal {
        true if order.is_sorted() => Guess::AsReturned,
        true => Guess::Reordered,
        false => Guess::Unknown,
    }
}

/// Tries the order of returns, then small changes to it.
fn try_changes<S: Spec>(spec: &S, mut order: Vec<Returned<'_, S::Op, S::Ret>>) -> Guess {
    let guessed = |replayed: Option<Result<(), usize>>, legal: Guess| match replayed {
        Some(Ok(())) => legal,
        _ => Guess::Unknown,
    };
    let mut effort = EFFORT * order.len();
    let mut illegal = match replay(spec, order.iter()) {
        Some(Err(illegal)) => illegal,
        other => return guessed(other, Guess::AsReturned),
    };
    'repair: loop {
        for distance in 1..=REACH {
            let at = illegal + distance;
            let Some(candidate) = order.get(at) else { return Guess::Unknown };
            if !order[illegal..at].iter().all(|earlier| may_precede(candidate, earlier)) {
                continue;
            }
            order[illegal..=at].rotate_right(1);
            match replay(spec, order.iter()) {
                Some(Err(next)) => {
                    effort = effort.saturating_sub(next + 1);
                    if effort == 0 {
                        return Guess::Unknown;
                    }
                    if next > illegal + 1 {
                        illegal = next;
                        continue 'repair;
                    }
                }
                other => return guessed(other, Guess::Reordered),
            }
            order[illegal..=at].rotate_left(1);
        }
        return Guess::Unknown;
    }
}

/// Replays this order: an error is the position of the first illegal operation. `None` if the
/// specification cannot replay or panics; the checker reports the panic.
fn replay<'a, S: Spec>(
    spec: &S,
    order: impl Iterator<Item = &'a Returned<'a, S::Op, S::Ret>>,
) -> Option<Result<(), usize>>
where
    S::Op: 'a,
    S::Ret: 'a,
{
    let mut run = order.map(|done| (done.op, Some(done.ret)));
    catch_unwind(AssertUnwindSafe(|| spec.replay(&mut run))).ok().flatten()
}

/// True if this order, given by positions, keeps real-time precedence and the order of each
/// process, and has each operation once.
fn respects_real_time<O, R>(run: &[Returned<'_, O, R>], order: &[u32]) -> bool {
    let processes = run.iter().map(|done| done.process as usize + 1).max().unwrap_or(0);
    let mut latest_call = 0;
    let mut last: Vec<Option<u32>> = vec![None; processes];
    order.iter().all(|at| {
        let Some(done) = run.get(*at as usize) else { return false };
        // `run` is in the order of returns, so within a process positions must ascend. They are
        // then distinct within a process, and those of different processes are distinct anyway.
        let before = last[done.process as usize].replace(*at);
        let is_later = before.is_none_or(|before| before < *at);
        latest_call = latest_call.max(done.call);
        is_later && latest_call <= done.end
    })
}

/// All operations in the order of their returns; `None` if one has not returned.
fn by_return<T, S: Spec>(round: &Round<T, S>) -> Option<Vec<Returned<'_, S::Op, S::Ret>>> {
    let scenario = &round.scenario;
    let threads = scenario.threads.len();
    let main = round.log_of(threads);
    let mut order = Vec::with_capacity(scenario.len());
    for (at, op) in scenario.setup.iter().enumerate() {
        order.push(entry_of(threads, op, main.get(at)?)?);
    }
    let mut next: Vec<Next<'_, S>> = Vec::with_capacity(threads);
    for (thread, ops) in scenario.threads.iter().enumerate() {
        let first = match ops.first() {
            Some(op) => Some(entry_of(thread, op, round.log_of(thread).get(0)?)?),
            None => None,
        };
        next.push((1, first));
    }
    loop {
        let ends =
            next.iter().enumerate().filter_map(|(t, (_, done))| Some((done.as_ref()?.end, t)));
        let Some((_, thread)) = ends.min() else { break };
        let (at, slot) = &mut next[thread];
        let mut following = match scenario.threads[thread].get(*at) {
            Some(op) => Some(entry_of(thread, op, round.log_of(thread).get(*at)?)?),
            None => None,
        };
        *at += 1;
        // As in a merged history, no operation begins before the previous one has ended.
        if let (Some(following), Some(done)) = (&mut following, &*slot) {
            following.call = following.call.max(done.end);
        }
        order.extend(std::mem::replace(slot, following));
    }
    for (at, op) in (scenario.setup.len()..).zip(&scenario.finally) {
        order.push(entry_of(threads, op, main.get(at)?)?);
    }
    Some(order)
}

fn entry_of<'a, O, R>(
    thread: usize,
    op: &'a O,
    entry: Entry<'a, (), R>,
) -> Option<Returned<'a, O, R>> {
    let process = thread as u32;
    Some(Returned { process, op, ret: entry.ret?, call: entry.call, end: entry.end })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::sheet::{Sheet, Writer};
    use crate::rng::SplitMix64;
    use crate::scenario::Scenario;
    use linpoint::check;
    use linpoint::spec::models::{Queue, QueueOp, QueueRet};

    /// A random run of a few operations, with results that may be legal or not.
    fn run(seed: u64) -> Round<(), Queue<u64>> {
        let mut random = SplitMix64::new(seed);
        let mut below = move |n: u64| random.up_to(n - 1);
        let mut scenario = Scenario { setup: vec![], threads: vec![], finally: vec![] };
        let logs: Vec<_> = (0..4).map(|_| Sheet::new(3)).collect();
        for log in &logs[..3] {
            let mut writer = Writer::claim(log).unwrap();
            let mut now = below(6);
            let mut ops = Vec::new();
            for _ in 0..1 + below(3) {
                let (op, ret) = match below(2) {
                    0 => (QueueOp::Enqueue(1 + below(2)), QueueRet::Done),
                    _ => (
                        QueueOp::Dequeue,
                        QueueRet::Value([None, Some(1), Some(2)][below(3) as usize]),
                    ),
                };
                let at = writer.call((), || now);
                now += 1 + below(6);
                writer.ret(at, ret, now);
                now += 1 + below(3);
                ops.push(op);
            }
            drop(writer);
            scenario.threads.push(ops);
        }
        Round::new((), scenario, logs)
    }

    fn guess_of(spec: &Queue<u64>, round: &Round<(), Queue<u64>>, returns_first: bool) -> Guess {
        by_return(round).map_or(Guess::Unknown, |order| try_guess(spec, order, returns_first))
    }

    #[test]
    fn overlaps_and_interruptions_are_counted() {
        let op = |process, call, end| Returned { process, op: &(), ret: &(), call, end };
        assert_eq!(concurrency(&[op(0, 0, 1), op(1, 2, 3), op(0, 4, 5)]), (false, 0));
        assert_eq!(concurrency(&[op(0, 0, 2), op(1, 1, 3)]), (true, 0));
        assert_eq!(concurrency(&[op(0, 2, 3), op(0, 4, 5), op(1, 1, 6)]), (true, 1));
    }

    #[test]
    fn every_guessed_run_is_linearizable() {
        let spec = Queue::new();
        let test = crate::Test::new(|| ()).spec(Queue::new()).ops(|_| QueueOp::Dequeue);
        let test = test.perform(|(), _| QueueRet::Done);
        let (mut guessed, mut missed) = (0, 0);
        let runs = if std::env::var_os("LINPOINT_LONG").is_some() { 1_000_000 } else { 5_000 };
        for seed in 0..runs {
            let round = run(seed);
            let guess = guess_of(&spec, &round, seed % 2 == 0) != Guess::Unknown;
            let (execution, _) = super::super::collect::finished(&test, round);
            let truth = check(&spec, &execution.history).unwrap().verdict.is_linearizable();
            assert!(truth || !guess, "run {seed} is not linearizable");
            guessed += u32::from(guess);
            missed += u32::from(truth && !guess);
        }
        assert!(guessed > 300 && guessed > 20 * missed, "{guessed} were guessed, {missed} missed");
    }

    #[test]
    fn after_failures_guesses_are_rare() {
        let mut guesser = Guesser::default();
        let spec = Queue::new();
        let guess = |round: &_| guess_of(&spec, round, true);
        let hard = (0..).map(run).find(|round| guess(round) == Guess::Unknown).unwrap();
        let easy = (0..).map(run).find(|round| guess(round) != Guess::Unknown).unwrap();
        assert_ne!(guesser.guess(&spec, &easy).guess, Guess::Unknown);
        for _ in 0..20 {
            assert_eq!(guesser.guess(&spec, &hard).guess, Guess::Unknown);
        }
        assert_eq!(guesser.guess(&spec, &easy).guess, Guess::Unknown, "not even tried");
        let tries =
            (0..1_000).filter(|_| guesser.guess(&spec, &easy).guess != Guess::Unknown).count();
        assert!(tries > 900, "it recovers: {tries}");
    }

    #[test]
    fn an_order_must_respect_real_time_and_have_each_operation_once() {
        let op = |process, call, end| Returned { process, op: &(), ret: &(), call, end };
        let run = [op(0, 0, 2), op(1, 1, 3), op(0, 2, 5), op(1, 4, 6)];
        for valid in [[0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 3, 2], [0, 2, 1, 3]] {
            assert!(respects_real_time(&run, &valid), "{valid:?}");
        }
        // The first operation returns before the last is called; the third is of the same process
        // as the first and is called when that returns; one operation is there twice; one is
        // missing.
        for invalid in [[3, 0, 1, 2], [2, 0, 1, 3], [0, 0, 1, 2], [0, 1, 2, 4]] {
            assert!(!respects_real_time(&run, &invalid), "{invalid:?}");
        }
    }
}
