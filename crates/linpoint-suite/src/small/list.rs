//! All small histories, one of each class that differs only in irrelevant names.
//!
//! A history is a word of calls and returns. Operations are numbered in the order of their calls;
//! adjacent returns come in the order of their calls, and adjacent calls in the order of their
//! letters: other words are equivalent.

use linpoint::history::{EventBuilder, History, OpId};

use super::SmallObject;

/// Calls `each` with every history of exactly `ops` operations over the letters.
pub fn all<B: SmallObject>(
    letters: &[(B::Op, Option<B::Ret>)],
    ops: usize,
    each: &mut impl FnMut(&History<B::Op, B::Ret>),
) {
    let mut word = Vec::new();
    extend::<B>(letters, ops, 0, &mut word, &mut Vec::new(), each);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    Call { letter: usize },
    Return { op: usize },
}

fn extend<B: SmallObject>(
    letters: &[(B::Op, Option<B::Ret>)],
    ops: usize,
    called: usize,
    word: &mut Vec<Event>,
    open: &mut Vec<usize>,
    each: &mut impl FnMut(&History<B::Op, B::Ret>),
) {
    if called == ops && open.is_empty() {
        each(&build::<B>(letters, word));
        return;
    }
    // After a return of a later operation, an earlier one would have come first.
    let least_return = match word.last() {
        Some(Event::Return { op }) => *op + 1,
        _ => 0,
    };
    for i in 0..open.len() {
        if open[i] < least_return {
            continue;
        }
        let op = open.remove(i);
        word.push(Event::Return { op });
        extend::<B>(letters, ops, called, word, open, each);
        word.pop();
        open.insert(i, op);
    }
    if called == ops {
        return;
    }
    let least_letter = match word.last() {
        Some(Event::Call { letter }) => *letter,
        _ => 0,
    };
    for letter in least_letter..letters.len() {
        let returns = letters[letter].1.is_some();
        if returns {
            open.push(called);
        }
        word.push(Event::Call { letter });
        extend::<B>(letters, ops, called + 1, word, open, each);
        word.pop();
        if returns {
            open.pop();
        }
    }
}

fn build<B: SmallObject>(
    letters: &[(B::Op, Option<B::Ret>)],
    word: &[Event],
) -> History<B::Op, B::Ret> {
    let mut events = EventBuilder::new();
    let mut results = Vec::new();
    for event in word {
        match event {
            Event::Call { letter } => {
                let (op, ret) = letters[*letter].clone();
                events.call(op);
                results.push(ret);
            }
            Event::Return { op } => {
                let ret = results[*op].take().expect("one return each");
                events.ret(OpId(*op as u32), ret).expect("an open operation");
            }
        }
    }
    events.finish()
}
