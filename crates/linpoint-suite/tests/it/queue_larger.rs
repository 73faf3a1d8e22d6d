//! Queues too large for brute force: the monitor and the queue-oriented algorithm are compared with
//! each other, orders are validated, and contradictions are checked again with everything else
//! relaxed.

use linpoint::history::{History, OpId};
use linpoint::monitor::{Answer, decide, decide_queue_oriented};
use linpoint::spec::models::{Queue, QueueOp, QueueRet};
use linpoint_suite::{Rng, rng_of_case};

use crate::common::larger::validate;

type QueueHistory = History<QueueOp<u32>, QueueRet<u32>>;

/// Probabilities of events in a history.
#[derive(Clone, Copy, Debug)]
struct Style {
    ops: usize,
    clients: usize,
    peeks: f64,
    pending: f64,
    /// Probability that two elements are swapped in the queue.
    swaps: f64,
    /// Probability that an element is lost.
    losses: f64,
}

/// Clients that call, take effect and return, one after another at random.
fn draw(rng: &mut Rng, style: &Style) -> QueueHistory {
    let mut events = History::from_events();
    let mut queue = std::collections::VecDeque::new();
    let mut clients = vec![None; style.clients];
    let (mut called, mut fresh) = (0, 0);
    while called < style.ops || clients.iter().any(Option::is_some) {
        let client = &mut clients[rng.usize(..style.clients)];
        match client {
            None if called < style.ops => {
                called += 1;
                let op = if rng.f64() < style.peeks {
                    QueueOp::Peek
                } else if rng.bool() {
                    fresh += 1;
                    QueueOp::Enqueue(fresh)
                } else {
                    QueueOp::Dequeue
                };
                *client = Some((events.call(op.clone()), op, None));
            }
            None => {}
            Some((_, op, result @ None)) => {
                if queue.len() > 1 && rng.f64() < style.swaps {
                    queue.swap(0, 1);
                }
                if rng.f64() < style.losses {
                    queue.pop_front();
                }
                *result = Some(match op {
                    QueueOp::Enqueue(value) => {
                        queue.push_back(*value);
                        QueueRet::Done
                    }
                    QueueOp::Dequeue => QueueRet::Value(queue.pop_front()),
                    QueueOp::Peek => QueueRet::Value(queue.front().copied()),
                });
            }
            Some((id, _, Some(result))) => {
                let (id, result) = (*id, result.clone());
                *client = None;
                if rng.f64() >= style.pending {
                    events.ret(id, result).unwrap();
                }
            }
        }
    }
    events.finish()
}

/// True if the answer is yes. Panics if it is not justified.
fn justified(history: &QueueHistory, answer: &Answer) -> bool {
    let spec = Queue::new();
    let all: Vec<OpId> = history.ids().collect();
    match answer {
        Answer::Linearizable(order) => {
            validate(&spec, history, order);
            true
        }
        Answer::Violation(found) => {
            let relaxed = history.derive(&all, |id, row| {
                if !found.ops.contains(&id) {
                    row.relax();
                }
            });
            let again = decide(&spec, &relaxed, &all).unwrap();
            assert!(matches!(again.answer, Answer::Violation(_)), "{found:?}");
            false
        }
    }
}

fn compare(style: Style, count: u64) -> [u64; 2] {
    let mut answers = [0, 0];
    for case in 0..count {
        let history = draw(&mut rng_of_case(17, case), &style);
        let ids: Vec<OpId> = history.ids().collect();
        let spec = Queue::new();
        let found = justified(&history, &decide(&spec, &history, &ids).unwrap().answer);
        answers[usize::from(found)] += 1;
        if style.peeks == 0.0 && style.pending == 0.0 {
            let other = decide_queue_oriented(&spec, &history, &ids, 1_000_000).unwrap();
            assert_eq!(justified(&history, &other.answer), found, "{case} of {style:?}");
        }
    }
    println!("{style:?}: {} no, {} yes", answers[0], answers[1]);
    answers
}

#[test]
fn answers_are_justified_and_agree() {
    let good = Style { ops: 300, clients: 6, peeks: 0.0, pending: 0.0, swaps: 0.0, losses: 0.0 };
    let mut total = [0, 0];
    for clients in [2, 6, 30] {
        for (peeks, pending) in [(0.0, 0.0), (0.3, 0.0), (0.0, 0.05), (0.2, 0.05)] {
            let good = Style { clients, peeks, pending, ..good };
            assert_eq!(compare(good, 100)[0], 0);
            let swapped = compare(Style { ops: 120, swaps: 0.02, ..good }, 100);
            let lost = compare(Style { ops: 120, losses: 0.01, ..good }, 100);
            for answer in [0, 1] {
                total[answer] += swapped[answer] + lost[answer];
            }
        }
    }
    assert!(total[0] > 300 && total[1] > 300, "{total:?}");
}
