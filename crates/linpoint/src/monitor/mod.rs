//! Monitors: engines that know one kind of object and decide its histories in near-linear time.
//!
//! Linearizability is NP-complete in general, but not for a queue whose elements are distinct, nor
//! for a set, a lock, a register whose written values are distinct, and so on. A monitor first
//! turns the history into columns of small numbers (`columns.rs`): for each operation its kind, its
//! element, and the first and last *peak* at which it was open (`peaks.rs`). Then it decides. It
//! either builds an order that explains the history, which is validated like any other witness, or
//! names a few operations that contradict each other whatever the rest did.
//!
//! A monitor may refuse: a value is added again while it may still be there, or there is an
//! operation that it does not know. A refusal has a reason and is never a verdict; the planner then
//! continues with the next tactic. All monitors handle operations that never returned.
//!
//! | file | object | refuses | time |
//! | --- | --- | --- | --- |
//! | `queue/` | queue | – | O(n), with a heap for never-removed values |
//! | `queue/heads.rs` | queue whose values overlap with themselves | too many states | O(n 4^k), k operations open at once |
//! | `stack/` | stack | the same; pending pops may be too hard | O(n log n) |
//! | `stack/repeats/` | stack whose values repeat, or with pending pops that are too hard | too many states | O(n 2^k), k operations open together |
//! | `deque/` | deque, also of values that repeat | too many states | O(n 2^k), k operations open together |
//! | `priority_queue/` | priority queue, bag | the same; pending polls may be too hard | O(n α(n)) after sorting by priority |
//! | `counted/` | priority queue or bag whose values overlap with themselves | too many sets | O(n k 2^k), mostly O(n k) |
//! | `flags.rs` | set, lock, test-and-set | nothing | O(n log k), k operations open at once |
//! | `registers/` | registers, CAS, swap, append, maps | a value that was found and written twice; a failed CAS | O(n), with appends O(n log n) and the length of all texts |
//! | `snapshot/` | snapshot | overlapping updates of a segment, if guessing fails | O(n + values in scans) |
//! | `counter.rs` | counter | additions of different amounts | O(n log k) |
//! | `semaphore.rs` | semaphore | failed acquires, if three policies fail | O(n log k) |
//! | `queue_oriented/` | queue whose values repeat | peeks, pending operations, too many steps | exponential at worst |
//!
//! A specification can bring a monitor of its own ([`Decides`](crate::spec::Decides)): etcd does.
//!
//! `container.rs` gathers what queues, stacks and priority queues have in common, `renaming.rs`
//! handles values that come back after they are gone, `shortage.rs` finds values that were removed more
//! often than added, and `sandwich.rs` guesses what pending
//! removals removed.
//!
//! Papers: Lee and Mathur on monitoring linearizability, Lowe's "Testing for linearizability", and
//! Amram, Hayoun, Mizrahi and Weiss on snapshots, with the corrections that each file names.

mod columns;
mod container;
mod contradiction;
mod counted;
mod counter;
mod deque;
mod effort;
mod flags;
mod group;
mod idle;
mod merge;
mod minimise;
mod names;
mod peaks;
mod priority_queue;
mod queue;
mod queue_oriented;
mod registers;
mod renaming;
mod returns;
mod roles;
mod rows;
mod sandwich;
mod semaphore;
mod shortage;
mod snapshot;
mod stack;
mod trace;

use std::time::{Duration, Instant};

use crate::history::{History, OpId};
use crate::spec::{Refutation, Shape, Spec};
use crate::subject::{Case, Typed};

pub(crate) use columns::{Columns, Kind};
use container::Elements;
pub(crate) use contradiction::{Contradiction, Piece};
pub(crate) use effort::Effort;
pub(crate) use names::NONE;
pub(crate) use peaks::Peaks;
pub(crate) use returns::words::{EMPTY_STACK, Set, Words};
pub(crate) use rows::Rows;

/// The refusal for an object without a monitor.
const NO_MONITOR: &str = "there is no monitor for this kind of object";

/// Why a monitor does not decide a history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The reason as text.
    pub reason: String,
}

impl Refusal {
    pub(crate) fn new(reason: impl Into<String>) -> Refusal {
        Refusal { reason: reason.into() }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason)
    }
}

/// A monitor's answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// An order that explains the history. It has not been validated yet.
    Linearizable(Vec<OpId>),
    /// A few operations that contradict each other.
    Violation(Refutation),
}

/// A monitor's answer, its name, and the time it took.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer.
    pub answer: Answer,
    /// The name of the monitor.
    pub monitor: &'static str,
    /// For a violation: some order explains this many returns. 0 if that is not known.
    pub explained: u32,
    /// How long it took.
    pub times: Times,
}

/// How long a monitor took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Times {
    /// Time to turn the history into columns.
    pub prepare: Duration,
    /// Time to decide.
    pub decide: Duration,
    /// Time to build an order from a "yes", or a contradiction from a "no" where that is separate
    /// work.
    pub witness: Duration,
}

/// Decides the operations `ids` of a history, if a monitor for the object exists and accepts them.
///
/// All operations must belong to one object. The order is *not* validated here;
/// [`Checker`](crate::Checker) does that, and falls back to search if this refuses.
///
/// # Errors
///
/// The reason why no monitor decides this history.
pub fn decide<S: Spec>(
    spec: &S,
    history: &History<S::Op, S::Ret>,
    ids: &[OpId],
) -> Result<Outcome, Refusal> {
    let typed = Typed::new(spec, history);
    decide_case(&Case::new(&typed, history.timeline()), ids, Effort::constant())
}

/// See [`decide`].
pub(crate) fn decide_case(
    case: &Case<'_>,
    ids: &[OpId],
    effort: Effort<'_>,
) -> Result<Outcome, Refusal> {
    decide_rows(Rows::new(case, ids), effort)
}

/// The same for all operations of a history, on this many threads. The order *must* be validated: if two different values
/// share a name, it may be wrong, and then [`verify_names`] refuses.
pub(crate) fn decide_all(
    case: &Case<'_>,
    threads: usize,
    effort: Effort<'_>,
) -> Result<Outcome, Refusal> {
    decide_rows(Rows::all(case).trusting_names().on_threads(threads), effort)
}

/// Refuses a history in which two different values share a name.
pub(crate) fn verify_names(case: &Case<'_>) -> Result<(), Refusal> {
    Rows::all(case).trusting_names().verify_names()
}

fn decide_rows(rows: Rows<'_>, mut effort: Effort<'_>) -> Result<Outcome, Refusal> {
    let mut clock = Clock::start();
    if let Some(monitor) = rows.own_monitor() {
        let answer = rows.decide_by_own(&mut effort)?;
        clock.decided();
        return Ok(Outcome { answer, monitor, explained: 0, times: clock.times });
    }
    let (monitor, found) = match rows.shape() {
        Shape::Opaque | Shape::BoundedQueue { .. } => return Err(Refusal::new(NO_MONITOR)),
        Shape::Queue => {
            let repeats: Repeats = |c, _, clock, effort| queue::heads::decide(c, clock, effort);
            let found = container_or(rows, &mut clock, &mut effort, queue::decide, repeats)?;
            (["queue-monitor", "queue-monitor (repeated values)"][usize::from(found.1)], found.0)
        }
        Shape::Stack => {
            let repeats: Repeats = |c, _, clock, effort| stack::repeats::decide(c, clock, effort);
            let found = container_or(rows, &mut clock, &mut effort, stack::decide, repeats)?;
            (["stack-monitor", "stack-monitor (repeated values)"][usize::from(found.1)], found.0)
        }
        Shape::Deque => ("deque-monitor", deque::decide(rows, &mut clock, &mut effort)?),
        Shape::PriorityQueue | Shape::Bag => {
            // In a bag, all priorities are equal.
            let distinct = priority_queue::decide;
            let found = container_or(rows, &mut clock, &mut effort, distinct, counted::decide)?;
            let names = match rows.shape() {
                Shape::Bag => ["bag-monitor", "bag-monitor (repeated values)"],
                _ => ["priority-queue-monitor", "priority-queue-monitor (repeated values)"],
            };
            (names[usize::from(found.1)], found.0)
        }
        Shape::Flags => ("flag-monitor", flags::decide(rows, &mut clock)?),
        Shape::Registers { initial } => {
            ("register-monitor", registers::decide(rows, initial, &mut clock)?)
        }
        Shape::Counter { initial } => {
            ("counter-monitor", counter::decide(rows, initial, &mut clock)?)
        }
        Shape::Semaphore { initial } => {
            ("semaphore-monitor", semaphore::decide(rows, initial, &mut clock)?)
        }
        Shape::Snapshot { initial, .. } => {
            ("snapshot-monitor", snapshot::decide(rows, initial, &mut clock)?)
        }
    };
    Ok(outcome(rows, monitor, found, clock))
}

/// Decides a queue by pairing enqueues with dequeues, which also works for values that were
/// enqueued several times. Pairs at most `max_steps` operations, including those that are undone.
/// The order is *not* validated here.
///
/// # Errors
///
/// The reason why it does not decide this history: the object is not a queue, some operation never
/// returned, there are peeks, or there were too many steps.
pub fn decide_queue_oriented<S: Spec>(
    spec: &S,
    history: &History<S::Op, S::Ret>,
    ids: &[OpId],
    max_steps: u64,
) -> Result<Outcome, Refusal> {
    let typed = Typed::new(spec, history);
    decide_case_queue_oriented(&Case::new(&typed, history.timeline()), ids, max_steps)
}

/// See [`decide_queue_oriented`].
pub(crate) fn decide_case_queue_oriented(
    case: &Case<'_>,
    ids: &[OpId],
    max_steps: u64,
) -> Result<Outcome, Refusal> {
    if case.subject.shape() != Shape::Queue {
        return Err(Refusal::new("the object is not a queue without a bound"));
    }
    let rows = Rows::new(case, ids);
    let mut clock = Clock::start();
    let columns = Columns::read(rows)?;
    let found = match queue_oriented::decide(&columns, max_steps, &mut clock)? {
        Found::Order(rows) => Found::Order(idle::weave(&columns, rows)),
        contradiction => contradiction,
    };
    Ok(outcome(rows, "queue-oriented", found, clock))
}

/// The general monitor of a container, for values that repeat.
type Repeats = fn(&Columns, Shape, &mut Clock, &mut Effort<'_>) -> Result<Found, Refusal>;

/// A container: in near-linear time if its values are distinct, otherwise by the monitor for values
/// that repeat. True if it was that one.
fn container_or(
    rows: Rows<'_>,
    clock: &mut Clock,
    effort: &mut Effort<'_>,
    distinct: Distinct,
    repeats: Repeats,
) -> Result<(Found, bool), Refusal> {
    if let Ok(found) = container(rows, clock, effort, distinct) {
        return Ok((found, false));
    }
    let columns = Columns::read(rows)?;
    clock.prepared();
    let found = match shortage::find(&columns) {
        Some(contradiction) => Found::Contradiction(contradiction),
        None => repeats(&columns, rows.shape(), clock, effort)?,
    };
    let found = match found {
        Found::Order(rows) => Found::Order(idle::weave(&columns, rows)),
        contradiction => {
            rows.verify_names()?;
            contradiction
        }
    };
    Ok((found, true))
}

/// A monitor for distinct values.
type Distinct = fn(&Columns, &Elements, &mut Clock, &mut Effort<'_>) -> Result<Found, Refusal>;

/// Reads and gathers, then asks the monitor of a container.
fn container(
    rows: Rows<'_>,
    clock: &mut Clock,
    effort: &mut Effort<'_>,
    decide: Distinct,
) -> Result<Found, Refusal> {
    let mut columns = Columns::read(rows)?;
    let mut renamed = None;
    let gathered = match Elements::gather(&columns) {
        Ok(gathered) => gathered,
        // A value is added twice.
        Err(_) => {
            let by_priority = matches!(rows.shape(), Shape::PriorityQueue | Shape::Bag);
            renamed = Some(renaming::rename(&mut columns, by_priority)?);
            Elements::gather(&columns)?
        }
    };
    clock.prepared();
    let found = match gathered {
        Ok(elements) => decide(&columns, &elements, clock, effort)?,
        Err(contradiction) => Found::Contradiction(contradiction),
    };
    if let Found::Contradiction(_) = found {
        rows.verify_names()?;
    }
    Ok(match (found, renamed) {
        (Found::Contradiction(c), Some(renamed)) => {
            Found::Contradiction(renamed.widen(&columns, c))
        }
        (Found::Order(rows), _) => Found::Order(idle::weave(&columns, rows)),
        (found, _) => found,
    })
}

/// An order of the rows of a queue, a stack or a priority queue whose elements are distinct, if there
/// is one.
pub(crate) fn order_of_container(
    shape: Shape,
    columns: &Columns,
    effort: &mut Effort<'_>,
) -> Result<Option<Vec<u32>>, Refusal> {
    let Ok(elements) = Elements::gather(columns)? else { return Ok(None) };
    match shape {
        Shape::Queue => Ok(queue::order(columns, &elements)),
        Shape::Stack => stack::find_order(columns, &elements, effort),
        Shape::PriorityQueue => priority_queue::find_order(columns, &elements, effort),
        _ => Err(Refusal::new(NO_MONITOR)),
    }
}

/// Translates rows to operations of the history.
fn outcome(rows: Rows<'_>, monitor: &'static str, found: Found, mut clock: Clock) -> Outcome {
    let mut explained = 0;
    let answer = match found {
        Found::Order(order) => {
            Answer::Linearizable(order.into_iter().map(|row| rows.id(row as usize)).collect())
        }
        Found::Contradiction(contradiction) => {
            explained = contradiction.explained;
            Answer::Violation(contradiction.into_refutation(rows))
        }
    };
    clock.witnessed();
    Outcome { answer, monitor, explained, times: clock.times }
}

/// A monitor's answer, in rows of its columns.
#[derive(Debug)]
pub(crate) enum Found {
    Order(Vec<u32>),
    Contradiction(Contradiction),
}

/// Measures the phases.
pub(crate) struct Clock {
    last: Instant,
    times: Times,
}

impl Clock {
    fn start() -> Clock {
        Clock { last: Instant::now(), times: Times::default() }
    }

    /// The time since the last call.
    fn lap(&mut self) -> Duration {
        let now = Instant::now();
        let lap = now - self.last;
        self.last = now;
        lap
    }

    /// The columns are complete.
    pub(crate) fn prepared(&mut self) {
        let lap = self.lap();
        self.times.prepare += lap;
    }

    /// The answer is known.
    pub(crate) fn decided(&mut self) {
        let lap = self.lap();
        self.times.decide += lap;
    }

    /// The order or the contradiction is complete.
    fn witnessed(&mut self) {
        let lap = self.lap();
        self.times.witness += lap;
    }
}
