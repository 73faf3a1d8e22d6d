//! A register that is appended to.

use linpoint::spec::models::{KeyValue, KeyValueOp, KeyValueRet};

use crate::Rng;
use crate::small::draw::Style;
use crate::small::{Nibbles, SmallObject};

/// One key of a store. It holds a word in which each letter was put or appended. With `initial`, it
/// starts with a word of one letter that is never written; otherwise it starts empty.
pub struct SmallAppends {
    /// Whether there is an initial word.
    pub initial: bool,
}

/// The letter that is never written.
const INITIAL: u8 = 14;

type Op = KeyValueOp<u8, String>;
type Ret = KeyValueRet<String>;

fn letter(value: u8) -> String {
    char::from(b'a' + value).to_string()
}

fn word(state: u64) -> String {
    let mut letters: Vec<u8> = Nibbles(state).iter().collect();
    letters.reverse();
    letters.into_iter().map(letter).collect()
}

fn found(state: u64) -> Ret {
    KeyValueRet::Value((state != 0).then(|| word(state)))
}

fn value_of(text: &str) -> u8 {
    text.as_bytes()[0] - b'a'
}

impl SmallObject for SmallAppends {
    type Op = Op;
    type Ret = Ret;
    type Spec = KeyValue<u8, String>;

    fn name(&self) -> &'static str {
        if self.initial { "appends to a word" } else { "appends to nothing" }
    }

    fn spec(&self) -> Self::Spec {
        KeyValue::new(self.initial.then(|| letter(INITIAL)))
    }

    fn start(&self) -> u64 {
        if self.initial { Nibbles(0).push(INITIAL).0 } else { 0 }
    }

    fn step(&self, state: u64, op: &Op) -> Option<(Ret, u64)> {
        Some(match op {
            KeyValueOp::Get(_) => (found(state), state),
            KeyValueOp::Put(_, v) => (KeyValueRet::Done, Nibbles(0).push(value_of(v)).0),
            KeyValueOp::Append(_, v) => (KeyValueRet::Done, Nibbles(state).push(value_of(v)).0),
            KeyValueOp::Delete(_) => (KeyValueRet::Done, self.start()),
            _ => return None,
        })
    }

    fn draw(&self, rng: &mut Rng, _style: &Style, fresh: u8) -> Op {
        match rng.usize(..40) {
            0..18 => KeyValueOp::Get(0),
            18..24 => KeyValueOp::Put(0, letter(fresh)),
            24 if self.initial => KeyValueOp::Delete(0),
            _ => KeyValueOp::Append(0, letter(fresh)),
        }
    }

    fn any_result(&self, rng: &mut Rng, op: &Op, values: u8) -> Ret {
        if !matches!(op, KeyValueOp::Get(_)) {
            return KeyValueRet::Done;
        }
        let mut state = Nibbles(if rng.f64() < 0.7 { self.start() } else { 0 });
        for _ in 0..rng.usize(..4) {
            state = state.push(rng.usize(..usize::from(values)) as u8);
        }
        found(state.0)
    }

    fn letters(&self, values: u8) -> Vec<(Op, Option<Ret>)> {
        let start = Nibbles(self.start());
        let mut states = vec![start];
        let mut letters = Vec::new();
        for a in 0..values {
            states.extend([Nibbles(0).push(a), start.push(a)]);
            for b in (0..values).filter(|b| *b != a) {
                states.extend([Nibbles(0).push(a).push(b), start.push(a).push(b)]);
            }
            for op in [KeyValueOp::Put(0, letter(a)), KeyValueOp::Append(0, letter(a))] {
                letters.push((op.clone(), Some(KeyValueRet::Done)));
                letters.push((op, None));
            }
        }
        states.sort_unstable_by_key(|state| state.0);
        states.dedup();
        letters.extend(states.iter().map(|state| (KeyValueOp::Get(0), Some(found(state.0)))));
        letters
    }
}
