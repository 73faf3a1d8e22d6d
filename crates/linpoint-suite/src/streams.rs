//! Compares two incremental checkers on streams: one that may use a monitor, and one that only uses
//! configurations. They must agree at every return.

use linpoint::history::{History, OpId};
use linpoint::incremental::{Incremental, Open, Step, StreamError};
use linpoint::spec::{Shape, Spec};

use crate::{Rng, rng_of_case};

/// Probabilities of events.
#[derive(Clone, Debug)]
pub struct Style {
    /// Clients, each with at most one operation open.
    pub clients: usize,
    /// Steps: calls, effects and returns.
    pub events: usize,
    /// Probability that a result is made up.
    pub wrong: f64,
    /// Probability that an operation crashes.
    pub crash: f64,
    /// Probability that an operation fails.
    pub fail: f64,
    /// Probability that a result is not recorded.
    pub unknown: f64,
}

impl Style {
    /// Some style.
    pub fn draw(rng: &mut Rng) -> Style {
        let some = |rng: &mut Rng, often: f64| if rng.f64() < 0.4 { often } else { 0.001 };
        let style = Style {
            clients: rng.usize(1..=5),
            events: rng.usize(5..=60),
            wrong: some(rng, 0.1),
            crash: some(rng, 0.06),
            fail: some(rng, 0.06),
            unknown: if rng.f64() < 0.2 { 0.1 } else { 0.0 },
        };
        // Few are long, so that much has been forgotten when a violation occurs.
        if rng.f64() < 0.97 {
            return style;
        }
        let [wrong, crash, fail, unknown] = [0.004, 0.001, 0.003, 0.002];
        Style { clients: rng.usize(3..=5), events: 700, wrong, crash, fail, unknown }
    }
}

/// Counts of what was seen.
#[derive(Default, Debug)]
pub struct Tally {
    /// Streams.
    pub streams: u64,
    /// Those that ended with a violation.
    pub violations: u64,
    /// Those that had too many configurations.
    pub too_much: u64,
    /// Ends of operations.
    pub ends: u64,
    /// Ends of operations after which all parts used a monitor.
    pub monitored: u64,
}

/// What a client is doing.
enum Client<R> {
    Idle,
    Called,
    /// It has taken effect, with this result.
    Done(R),
}

/// How an operation of a stream ends.
enum End<R> {
    Returns(R),
    ReturnsSomething,
    Fails,
    Crashes,
}

/// The common answer of both checkers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    /// A linearization still exists.
    Fine,
    /// There is none.
    Violation,
    /// There were too many configurations.
    TooMuch,
}

/// The handles of one operation in the two checkers.
type Handles = (Open, Open);

/// Two checkers of one stream.
struct Pair<'a, S: Spec> {
    monitored: Incremental<'a, S>,
    configured: Incremental<'a, S>,
    is_container: bool,
    log: Vec<String>,
}

impl<'a, S: Spec> Pair<'a, S> {
    fn new(spec: &'a S) -> Self {
        let is_container = spec.shaped().is_some_and(|shaped| {
            matches!(
                shaped.shape(),
                Shape::Queue | Shape::Stack | Shape::PriorityQueue | Shape::Bag
            )
        });
        // Containers have many states, and most of their streams would end here anyway.
        let most = if is_container { 4_000 } else { 100_000 };
        let monitored = Incremental::new(spec).max_configurations(most);
        let configured = Incremental::new(spec).configurations_only().max_configurations(most);
        Pair { monitored, configured, is_container, log: Vec::new() }
    }

    fn call(&mut self, op: &S::Op) -> Handles {
        let a = self.monitored.call(op.clone()).expect("one key");
        let b = self.configured.call(op.clone()).expect("one key");
        (a, b)
    }

    fn end(&mut self, (a, b): Handles, end: End<S::Ret>) -> After {
        let steps: (Result<_, StreamError>, Result<_, StreamError>) = match end {
            End::Returns(ret) => (self.monitored.ret(a, ret.clone()), self.configured.ret(b, ret)),
            End::ReturnsSomething => {
                (self.monitored.ret_unknown(a), self.configured.ret_unknown(b))
            }
            End::Fails => (self.monitored.fail(a), self.configured.fail(b)),
            End::Crashes => {
                self.monitored.crash(a).expect("open");
                self.configured.crash(b).expect("open");
                return After::Fine;
            }
        };
        match steps {
            (Ok(Step::Fine), Ok(Step::Fine)) => After::Fine,
            // There is nothing to compare with.
            (_, Ok(Step::Undecided(_))) => After::TooMuch,
            (Ok(Step::Violation(mut a)), Ok(Step::Violation(mut b))) => {
                let sort = |rets: &mut Vec<S::Ret>| rets.sort_by_key(|ret| format!("{ret:?}"));
                sort(&mut a.allowed);
                sort(&mut b.allowed);
                let log = &self.log;
                // Operations of containers can always return something. If nothing was found, there
                // were too many configurations to list it.
                if self.is_container && b.allowed.is_empty() {
                    b.allowed = a.allowed.clone();
                }
                assert_eq!((a.operation, a.allowed), (b.operation, b.allowed), "{log:#?}");
                // At most four states are shown.
                // The monitor of a container shows one of them.
                let is_container = self.is_container && a.states.len() == 1;
                let shown = |state| a.states.len() >= 4 || is_container || a.states.contains(state);
                assert!(b.states.iter().all(shown), "{:?} {:?} {log:#?}", a.states, b.states);
                After::Violation
            }
            (a, b) => panic!("{a:?}\n{b:?}\n{:#?}", self.log),
        }
    }
}

/// Runs clients on the real object, with some wrong results, and feeds both checkers the same
/// events. `draw` makes operations.
pub fn compare<S: Spec>(
    spec: &S,
    draw: &mut dyn FnMut(&mut Rng) -> S::Op,
    style: &Style,
    rng: &mut Rng,
    tally: &mut Tally,
) {
    let mut pair = Pair::new(spec);
    let mut clients: Vec<Client<S::Ret>> = (0..style.clients).map(|_| Client::Idle).collect();
    let mut open: Vec<Option<(Handles, S::Op)>> = vec![None; style.clients];
    let mut states = vec![spec.initial()];
    tally.streams += 1;
    for _ in 0..style.events {
        let c = rng.usize(..style.clients);
        match &clients[c] {
            Client::Idle => {
                let op = draw(rng);
                pair.log.push(format!("{c} calls {op:?}"));
                open[c] = Some((pair.call(&op), op));
                clients[c] = Client::Called;
                continue;
            }
            Client::Called if rng.f64() >= style.crash + style.fail + style.wrong => {
                let (_, op) = open[c].as_ref().expect("called");
                let mut out = Vec::new();
                assert!(spec.outcomes(&states[states.len() - 1], op, &mut out));
                if let Some((ret, next)) = out.pop() {
                    states.push(next);
                    clients[c] = Client::Done(ret);
                }
                continue;
            }
            _ => {}
        }
        let (handles, op) = open[c].take().expect("called");
        let end = match std::mem::replace(&mut clients[c], Client::Idle) {
            Client::Done(ret) if rng.f64() >= style.unknown => End::Returns(ret),
            Client::Done(_) => End::ReturnsSomething,
            _ if rng.f64() < style.crash / (style.crash + style.fail + style.wrong) => End::Crashes,
            _ if rng.f64() < style.fail / (style.fail + style.wrong) => End::Fails,
            _ => {
                let others: Vec<S::Op> = open.iter().flatten().map(|(_, op)| op.clone()).collect();
                match made_up(spec, &op, &others, &states, rng) {
                    Some(ret) => End::Returns(ret),
                    None => End::Crashes,
                }
            }
        };
        pair.log.push(match &end {
            End::Returns(ret) => format!("{c} returns {ret:?}"),
            End::ReturnsSomething => format!("{c} returns something"),
            End::Fails => format!("{c} fails"),
            End::Crashes => format!("{c} crashes"),
        });
        tally.ends += 1;
        match pair.end(handles, end) {
            After::Fine => {
                tally.monitored += u64::from(pair.monitored.monitored() == pair.monitored.parts())
            }
            After::Violation => {
                tally.violations += 1;
                return;
            }
            After::TooMuch => {
                tally.too_much += 1;
                return;
            }
        }
    }
}

/// A result from some state: one that was there, or that an open operation may have made.
fn made_up<S: Spec>(
    spec: &S,
    op: &S::Op,
    others: &[S::Op],
    states: &[S::State],
    rng: &mut Rng,
) -> Option<S::Ret> {
    let recent = &states[states.len() - states.len().min(6)..];
    let mut from = vec![recent[rng.usize(..recent.len())].clone(), states[0].clone()];
    for other in others {
        spec.successors(&recent[recent.len() - 1].clone(), other, None, &mut from);
    }
    let mut out = Vec::new();
    for state in &from {
        spec.outcomes(state, op, &mut out);
    }
    (!out.is_empty()).then(|| out.swap_remove(rng.usize(..out.len())).0)
}

/// Compares this many streams. The operations of each come from what `draw` makes for it.
pub fn compare_many<S: Spec, D: FnMut(&mut Rng) -> S::Op>(
    name: &str,
    spec: &S,
    count: u64,
    mut draw: impl FnMut(&mut Rng) -> D,
) {
    let mut tally = Tally::default();
    for case in 0..count {
        let rng = &mut rng_of_case(12, case);
        let style = Style::draw(rng);
        let mut ops = draw(rng);
        compare(spec, &mut ops, &style, rng, &mut tally);
    }
    println!("{name}: {tally:?}");
    assert!(tally.violations > count / 20 && tally.violations < tally.streams);
}

/// Feeds both checkers a history, event by event. Every second operation that never returns is
/// reported as crashed at some time.
pub fn events_of<O, R>(history: &History<O, R>) -> impl Iterator<Item = (bool, OpId)> {
    let mut events: Vec<(u32, bool, OpId)> = Vec::new();
    for id in history.ids() {
        let span = history.span(id);
        events.push((span.call, false, id));
        if !span.is_pending() {
            events.push((span.ret, true, id));
        } else if id.0 % 2 == 0 {
            events.push((span.call + history.len() as u32 / 2, true, id));
        }
    }
    events.sort_unstable();
    events.into_iter().map(|(_, is_end, id)| (is_end, id))
}

/// Gives both checkers a history, event by event.
pub fn compare_history<S: Spec>(spec: &S, history: &History<S::Op, S::Ret>) -> After {
    let mut pair = Pair::new(spec);
    let mut open = vec![None; history.len()];
    for (is_end, id) in events_of(history) {
        if !is_end {
            pair.log.push(format!("{id} calls {:?}", history.op(id)));
            open[id.index()] = Some(pair.call(history.op(id)));
            continue;
        }
        let handles = open[id.index()].expect("calls come first");
        let end = match (history.span(id).is_pending(), history.ret(id)) {
            (true, _) => End::Crashes,
            (false, Some(ret)) => End::Returns(ret.clone()),
            (false, None) => End::ReturnsSomething,
        };
        pair.log.push(format!("{id} ends with {:?}", history.ret(id)));
        match pair.end(handles, end) {
            After::Fine => {}
            ended => return ended,
        }
    }
    After::Fine
}
