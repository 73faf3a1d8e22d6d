//! What is written, added and inserted.

use super::rng::Rng;
use crate::Value;

/// Which values operations have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// Each is used once.
    Distinct,
    /// So many, again and again.
    Among(u32),
}

impl Values {
    /// What `few` stands for.
    pub const FEW: Values = Values::Among(5);
}

/// Hands out values.
#[derive(Clone, Debug)]
pub(super) struct Supply {
    values: Values,
    last: u64,
    /// Distinct values come in an order that looks random, below two to this power.
    scattered: Option<u32>,
    text: bool,
    /// What was there before.
    taken: Vec<Value>,
}

/// A number that is hardly ever handed out.
const NEVER: i64 = 999_999_999;

impl Supply {
    pub(super) fn new(values: Values) -> Supply {
        Supply { values, last: 0, scattered: None, text: false, taken: Vec::new() }
    }

    /// Distinct values in an order that looks random; at most so many.
    pub(super) fn scattered(values: Values, most: u64) -> Supply {
        let bits = (u64::BITS - most.leading_zeros()).clamp(4, 48);
        Supply { scattered: Some(bits), ..Supply::new(values) }
    }

    /// Texts instead of numbers.
    pub(super) fn texts(values: Values) -> Supply {
        Supply { text: true, ..Supply::new(values) }
    }

    /// These were there before: what is never handed out is none of them.
    pub(super) fn beside(mut self, taken: impl IntoIterator<Item = Value>) -> Supply {
        self.taken.extend(taken);
        self
    }

    /// The next number.
    pub(super) fn number(&mut self, rng: &mut Rng) -> i64 {
        let number = match self.values {
            Values::Among(n) => 1 + rng.below(n.into()),
            Values::Distinct => {
                self.last += 1;
                self.scattered.map_or(self.last, |bits| 1 + scatter(self.last, bits))
            }
        };
        // Nobody waits for so many operations.
        i64::try_from(number).unwrap_or(i64::MAX)
    }

    /// The next value.
    pub(super) fn draw(&mut self, rng: &mut Rng) -> Value {
        let number = self.number(rng);
        self.value(number)
    }

    /// How many distinct values there were so far.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    fn value(&self, number: i64) -> Value {
        if self.text { Value::Str(format!("x{number}y").into()) } else { Value::Int(number) }
    }

    /// A value that is never handed out.
    pub(super) fn never(&self) -> Value {
        let reach = match self.values {
            Values::Among(n) => u64::from(n),
            Values::Distinct => self.scattered.map_or(self.last, |bits| 1 << bits),
        };
        let first = if reach < NEVER as u64 / 2 { NEVER } else { i64::MAX };
        // Among one more number than are taken, one is not.
        let free = (0..=self.taken.len() as i64)
            .map(|below| self.value(first - below))
            .find(|value| !self.taken.contains(value));
        free.unwrap_or_else(|| self.value(first))
    }
}

/// A number below `2^bits` for each number: every step can be undone, so no two are the same.
fn scatter(number: u64, bits: u32) -> u64 {
    let mask = (1 << bits) - 1;
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) & mask;
    let mixed = (mixed ^ (mixed >> (bits / 2))) & mask;
    mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93) & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_values_are_distinct_and_never_the_impossible_one() {
        let mut rng = Rng::new(3);
        for most in [1, 10, 1000, 5000] {
            for mut supply in [
                Supply::new(Values::Distinct),
                Supply::scattered(Values::Distinct, most),
                Supply::texts(Values::Distinct),
            ] {
                let drawn: Vec<Value> = (0..most).map(|_| supply.draw(&mut rng)).collect();
                let mut sorted = drawn.clone();
                sorted.sort();
                sorted.dedup();
                assert_eq!(sorted.len() as u64, most);
                assert!(!drawn.contains(&supply.never()));
                let taken = supply.never();
                assert_ne!(supply.beside([taken.clone()]).never(), taken);
            }
        }
    }
}
