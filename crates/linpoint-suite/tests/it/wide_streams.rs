//! Streams of stacks with many clients. There would be too many configurations to compare with, so what the stream says
//! is compared with what the monitor of whole histories says about what was recorded: up to the return that failed, just before
//! it, and as a whole.

use linpoint::History;
use linpoint::incremental::{Incremental, Open, Step};
use linpoint::monitor::{self, Answer};
use linpoint::spec::models::{Stack, StackOp, StackRet};
use linpoint_suite::{Rng, rng_of_case};

use crate::common::is_long;

type Recorded = History<StackOp<u32>, StackRet<u32>>;

/// How a stream is made.
struct Style {
    clients: usize,
    steps: usize,
    /// Probability of a wrong effect, from some step on.
    wrong: f64,
    wrong_from: usize,
    /// Of ten operations.
    pushes: usize,
    peeks: usize,
    crash: f64,
    /// How often each client does something.
    pace: Vec<f64>,
}

impl Style {
    /// A long stream with many clients, or a short one.
    fn draw(rng: &mut Rng, is_wide: bool) -> Style {
        let (clients, steps) = match is_wide {
            true => (rng.usize(10..=30), rng.usize(200..=900)),
            false => (rng.usize(3..=14), rng.usize(20..=200)),
        };
        let pace = |rng: &mut Rng| if rng.usize(..4) == 0 { 0.05 + 0.3 * rng.f64() } else { 1.0 };
        Style {
            clients,
            steps,
            wrong: if is_wide { [0.0, 0.02, 0.1] } else { [0.02, 0.1, 0.3] }[rng.usize(..3)],
            wrong_from: steps * rng.usize(0..90) / 100,
            pushes: rng.usize(3..=6),
            peeks: rng.usize(..5),
            crash: if rng.usize(..10) == 0 { 0.01 } else { 0.0 },
            pace: (0..clients).map(|_| pace(rng)).collect(),
        }
    }
}

#[derive(Clone)]
enum Client {
    Idle,
    Called(StackOp<u32>, usize),
    Done(StackRet<u32>, usize),
}

#[derive(Clone)]
enum Event {
    Call(StackOp<u32>),
    /// An operation, by its number, and its result.
    Return(usize, StackRet<u32>),
    Crash(usize),
}

/// What happens to a real stack, with some wrong effects. In the end, everything returns.
fn simulate(style: &Style, rng: &mut Rng) -> Vec<Event> {
    let (mut content, mut events) = (Vec::new(), Vec::new());
    let (mut value, mut calls) = (0, 0);
    let mut clients = vec![Client::Idle; style.clients];
    let mut step = 0;
    while step < style.steps || clients.iter().any(|client| !matches!(client, Client::Idle)) {
        step += 1;
        let is_end = step >= style.steps;
        let c = rng.usize(..style.clients);
        if !is_end && rng.f64() > style.pace[c] {
            continue;
        }
        clients[c] = match clients[c].clone() {
            Client::Idle if is_end => Client::Idle,
            Client::Idle => {
                let op = match rng.usize(..10) {
                    kind if kind < style.pushes => {
                        value += 1;
                        StackOp::Push(value)
                    }
                    kind if kind < style.pushes + style.peeks => StackOp::Peek,
                    _ => StackOp::Pop,
                };
                events.push(Event::Call(op.clone()));
                calls += 1;
                Client::Called(op, calls - 1)
            }
            Client::Called(_, number) if rng.f64() < style.crash => {
                events.push(Event::Crash(number));
                Client::Idle
            }
            Client::Called(op, number) => {
                let is_wrong = step > style.wrong_from && rng.f64() < style.wrong;
                Client::Done(effect(op, &mut content, is_wrong, rng), number)
            }
            Client::Done(ret, number) => {
                events.push(Event::Return(number, ret));
                Client::Idle
            }
        };
    }
    events
}

/// Performs an operation. A wrong one goes to another place than the top, or finds nothing.
fn effect(
    op: StackOp<u32>,
    content: &mut Vec<u32>,
    is_wrong: bool,
    rng: &mut Rng,
) -> StackRet<u32> {
    let depth = if is_wrong { rng.usize(..content.len().clamp(1, 7)) } else { 0 };
    let finds_nothing = content.is_empty() || (is_wrong && rng.usize(..4) == 0);
    match op {
        StackOp::Push(value) => {
            content.insert(content.len() - depth.min(content.len()), value);
            StackRet::Done
        }
        _ if finds_nothing => StackRet::Value(None),
        StackOp::Pop => StackRet::Value(Some(content.remove(content.len() - 1 - depth))),
        StackOp::Peek => StackRet::Value(Some(content[content.len() - 1 - depth])),
    }
}

/// The history that the events record.
fn recorded(events: &[Event]) -> Recorded {
    let mut builder = History::from_events();
    let mut ids = Vec::new();
    for event in events {
        match event {
            Event::Call(op) => ids.push(builder.call(op.clone())),
            Event::Return(number, ret) => builder.ret(ids[*number], ret.clone()).expect("open"),
            Event::Crash(number) => builder.crash(ids[*number]).expect("open"),
        }
    }
    builder.finish()
}

/// What the monitor of whole histories says. `None` if it refuses.
fn is_linearizable(events: &[Event]) -> Option<bool> {
    let history = recorded(events);
    let ids: Vec<_> = history.ids().collect();
    let outcome = monitor::decide(&Stack::new(), &history, &ids).ok()?;
    Some(matches!(outcome.answer, Answer::Linearizable(_)))
}

/// The number of events up to the first violation that the stream reports. An error if it gives up.
fn first_violation(events: &[Event]) -> Result<Option<usize>, ()> {
    let spec = Stack::new();
    let mut stream = Incremental::new(&spec).max_configurations(100);
    let mut open: Vec<Open> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Call(op) => open.push(stream.call(op.clone()).expect("one stack")),
            Event::Crash(number) => stream.crash(open[*number]).expect("open"),
            Event::Return(number, ret) => {
                match stream.ret(open[*number], ret.clone()).expect("open") {
                    Step::Fine => {}
                    Step::Violation(_) => return Ok(Some(at + 1)),
                    Step::Undecided(_) => return Err(()),
                }
            }
        }
    }
    Ok(None)
}

/// Counts of what was seen.
#[derive(Default, Debug)]
struct Tally {
    fine: u64,
    violations: u64,
    /// The stream gave up.
    given_up: u64,
    /// The monitor of whole histories refused.
    refused: u64,
}

fn compare_many(count: u64, is_wide: bool) {
    let mut tally = Tally::default();
    for case in 0..count {
        let rng = &mut rng_of_case(77, case);
        let style = Style::draw(rng, is_wide);
        let events = simulate(&style, rng);
        let mut compare = |events: &[Event], expected: bool| match is_linearizable(events) {
            Some(found) => assert_eq!(found, expected, "case {case}, {} events", events.len()),
            None => tally.refused += 1,
        };
        match first_violation(&events) {
            Ok(None) => {
                compare(&events, true);
                tally.fine += 1;
            }
            Ok(Some(until)) => {
                compare(&events[..until], false);
                compare(&events[..until - 1], true);
                tally.violations += 1;
            }
            Err(()) => tally.given_up += 1,
        }
    }
    println!("{tally:?}");
    assert!(tally.fine > count / 5 && tally.violations > count / 20);
    assert!(tally.given_up < count / 10 && tally.refused < count / 10);
}

#[test]
fn stacks_with_many_clients() {
    compare_many(if is_long() { 100_000 } else { 100 }, true);
}

#[test]
fn stacks_with_some_clients() {
    compare_many(if is_long() { 2_000_000 } else { 5_000 }, false);
}
