//! The snapshot monitor: the published histories, and histories of one writer for each segment.

use std::path::PathBuf;

use linpoint::history::{History, OpId};
use linpoint::monitor::{self, Answer};
use linpoint::spec::Spec;
use linpoint::spec::models::{Snapshot, SnapshotOp, SnapshotRet};
use linpoint_suite::small::check::Trial;
use linpoint_suite::small::objects::SmallSnapshot;
use linpoint_suite::{Rng, rng_of_case};

type SnapshotHistory = History<SnapshotOp<u8>, SnapshotRet<u8>>;

fn long() -> bool {
    std::env::var("LINPOINT_LONG").is_ok_and(|v| v == "1")
}

/// The published histories log two segments; the others always hold 0, or are left open.
fn published(text: &str, processes: usize, open: bool) -> SnapshotHistory {
    let mut events = History::from_events();
    for event in text.split(';').map(str::trim).filter(|event| !event.is_empty()) {
        let (name, numbers) = event.split_once('!').expect("an event with a process");
        let numbers: Vec<u8> = numbers.split(',').map(|n| n.parse().expect("a number")).collect();
        let process = u32::from(numbers[0]);
        match name {
            "startUpdate" => {
                let op = SnapshotOp::Update(process as usize, numbers[1]);
                events.call_by(process, op).expect("idle");
            }
            "startScan" => {
                events.call_by(process, SnapshotOp::Scan).expect("idle");
            }
            "endUpdate" => {
                let op = events.open_of(process).expect("open");
                events.ret(op, SnapshotRet::Done).expect("open");
            }
            "endScan" => {
                let op = events.open_of(process).expect("open");
                let mut values = vec![(!open).then_some(0); processes];
                (values[0], values[1]) = (Some(numbers[1]), Some(numbers[2]));
                events.ret(op, SnapshotRet::Values(values.into())).expect("open");
            }
            _ => panic!("unknown event {event}"),
        }
    }
    events.finish()
}

/// True if the order respects real time, is legal, and has all completed operations.
fn is_witness(spec: &Snapshot<u8>, history: &SnapshotHistory, order: &[OpId]) -> bool {
    let mut latest_call = 0;
    let in_time = order.iter().all(|id| {
        latest_call = latest_call.max(history.span(*id).call);
        history.span(*id).ret >= latest_call
    });
    let mut met = vec![0; history.len()];
    order.iter().for_each(|id| met[id.index()] += 1);
    let complete = history
        .ids()
        .all(|id| met[id.index()] == 1 || met[id.index()] == 0 && history.span(id).is_pending());
    let mut run = order.iter().map(|id| (history.op(*id), history.ret(*id)));
    in_time && complete && spec.replay(&mut run) == Some(Ok(()))
}

#[test]
fn published_histories() {
    let data = std::env::var_os("LINPOINT_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let folder = data.join("snapshot-disc22");
    let Ok(expected) = std::fs::read_to_string(folder.join("expected.tsv")) else {
        println!("SKIPPED: no published histories in {}", folder.display());
        return;
    };
    let mut answers = [0, 0];
    for line in expected.lines() {
        let mut fields = line.split('\t');
        let (Some(name), Some(expected)) = (fields.next(), fields.next()) else { continue };
        let text = std::fs::read_to_string(folder.join(name)).expect(name);
        let processes = name.split('-').nth(1).and_then(|p| p.parse().ok()).expect(name);
        for open in [false, true] {
            let history = published(&text, processes, open);
            let spec = Snapshot { segments: processes, initial: 0 };
            let ids: Vec<OpId> = history.ids().collect();
            let outcome = monitor::decide(&spec, &history, &ids).expect(name);
            match outcome.answer {
                Answer::Linearizable(order) => {
                    assert_eq!(expected, "ok", "{name}");
                    assert!(is_witness(&spec, &history, &order), "{name}");
                    answers[1] += 1;
                }
                Answer::Violation(found) => {
                    assert_eq!(expected, "bad", "{name}: {}", found.reason);
                    answers[0] += 1;
                }
            }
        }
    }
    println!("{answers:?} bad and ok, each history read in two ways");
    assert!(answers.iter().all(|count| *count > 0));
}

/// Parameters of random histories with one writer for each segment.
struct Style {
    segments: u8,
    scanners: usize,
    ops: usize,
    /// Updates write values below this, or fresh ones.
    values: Option<u8>,
    partial: bool,
}

#[derive(Clone)]
enum At {
    Idle,
    Called(OpId, SnapshotOp<u8>),
    /// A scan that is not atomic: it has seen these segments so far.
    Collecting(OpId, Vec<Option<u8>>),
    Done(OpId, SnapshotRet<u8>),
}

/// Runs writers and scanners on an atomic snapshot, and spoils some results. Operations open at the
/// end are pending.
fn draw(style: &Style, rng: &mut Rng) -> SnapshotHistory {
    let segments = usize::from(style.segments);
    let mut state = vec![0u8; segments];
    let mut at = vec![At::Idle; segments + style.scanners];
    let mut events = History::from_events();
    let (mut calls, mut fresh) = (0, 0);
    let spoilt = if rng.bool() { 0.4 } else { 0.0 };
    let collecting = if rng.f64() < 0.6 { 0.8 } else { 0.0 };
    let stop = if rng.f64() < 0.7 { 0 } else { rng.usize(..4) };
    while calls < style.ops || at.iter().filter(|at| !matches!(at, At::Idle)).count() > stop {
        let process = rng.usize(..at.len());
        at[process] = match at[process].clone() {
            At::Idle if calls == style.ops => At::Idle,
            At::Idle => {
                calls += 1;
                let op = if process < segments {
                    fresh += 1;
                    let value = style.values.map_or(fresh, |most| rng.u8(..most));
                    SnapshotOp::Update(process, value)
                } else {
                    SnapshotOp::Scan
                };
                At::Called(events.call(op.clone()), op)
            }
            At::Called(id, SnapshotOp::Update(i, v)) => {
                state[i] = v;
                At::Done(id, SnapshotRet::Done)
            }
            At::Called(id, SnapshotOp::Scan) if rng.f64() < collecting => {
                At::Collecting(id, Vec::new())
            }
            At::Collecting(id, mut seen) => {
                seen.push(Some(state[seen.len()]).filter(|_| !style.partial || rng.f64() < 0.8));
                match seen.len() == segments {
                    true => At::Done(id, SnapshotRet::Values(seen.into())),
                    false => At::Collecting(id, seen),
                }
            }
            At::Called(id, SnapshotOp::Scan) => {
                let mut values: Vec<Option<u8>> = state.iter().copied().map(Some).collect();
                if rng.f64() < spoilt {
                    let most = style.values.unwrap_or(fresh + 1);
                    values[rng.usize(..segments)] = Some(rng.u8(..most));
                }
                for value in values.iter_mut().filter(|_| style.partial) {
                    *value = value.filter(|_| rng.f64() < 0.7);
                }
                At::Done(id, SnapshotRet::Values(values.into()))
            }
            At::Done(id, ret) => {
                events.ret(id, ret).expect("open");
                At::Idle
            }
        };
    }
    events.finish()
}

#[test]
fn one_writer_for_each_segment() {
    let count = if long() { 500_000 } else { 5_000 };
    for segments in [1, 2, 3, 4] {
        for (values, partial) in
            [(None, false), (None, true), (Some(2), false), (Some(2), true), (Some(3), true)]
        {
            let object = SmallSnapshot { segments, bits: values.is_some(), partial };
            let mut trial = Trial::new(object);
            for case in 0..count {
                let rng = &mut rng_of_case(segments.into(), case);
                let (scanners, ops) = (rng.usize(1..=4), rng.usize(1..=10));
                let style = Style { segments, scanners, ops, values, partial };
                trial.one(&draw(&style, rng));
            }
            println!("{segments} segments, values {values:?}, open {partial}: {}", trial.tally);
            let refused: u64 = trial.tally.refused.values().sum();
            // One writer and fresh values: nothing is guessed.
            assert!(values.is_some() || refused == 0);
            assert!(trial.tally.yes > count / 4 && trial.tally.no > count / 100);
        }
    }
}
