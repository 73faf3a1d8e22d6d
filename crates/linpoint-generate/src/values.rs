//! What is written, added and inserted.

use linpoint_formats::Value;

use crate::rng::Rng;

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
pub(crate) struct Supply {
    values: Values,
    last: u64,
    /// Scattered values are below two to this power.
    bits: u32,
    /// Texts instead of numbers.
    texts: bool,
    /// Values that must not be called impossible.
    taken: Vec<Value>,
}

/// A number that is hardly ever handed out.
const NEVER: i64 = 999_999_999;

impl Supply {
    /// Values for this many operations.
    pub(crate) fn new(values: Values, operations: u64, texts: bool) -> Supply {
        let bits = (u64::BITS - operations.leading_zeros()).clamp(4, 48);
        Supply { values, last: 0, bits, texts, taken: Vec::new() }
    }

    /// These are there from the start: [`Supply::never`] is none of them.
    pub(crate) fn beside(mut self, taken: impl IntoIterator<Item = Value>) -> Supply {
        self.taken.extend(taken);
        self
    }

    /// The next number.
    pub(crate) fn number(&mut self, rng: &mut Rng) -> i64 {
        let number = match self.values {
            Values::Among(n) => 1 + rng.below(n.into()),
            Values::Distinct => {
                self.last += 1;
                self.last
            }
        };
        i64::try_from(number).unwrap_or(i64::MAX)
    }

    /// The next value.
    pub(crate) fn draw(&mut self, rng: &mut Rng) -> Value {
        let number = self.number(rng);
        self.value(number)
    }

    /// The next value; distinct ones come in an order that looks random.
    pub(crate) fn scattered(&mut self, rng: &mut Rng) -> Value {
        let number = self.number(rng);
        match self.values {
            Values::Among(_) => self.value(number),
            Values::Distinct => self.value((1 + scatter(self.last, self.bits)).cast_signed()),
        }
    }

    /// How many distinct values there were so far.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    fn value(&self, number: i64) -> Value {
        if self.texts { Value::Str(format!("x{number}y").into()) } else { Value::Int(number) }
    }

    /// A value that is never handed out.
    pub(crate) fn never(&self) -> Value {
        let reach = match self.values {
            Values::Among(n) => u64::from(n),
            Values::Distinct => self.last.max(1 << self.bits),
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
            for (texts, scattered) in [(false, false), (false, true), (true, false)] {
                let mut supply = Supply::new(Values::Distinct, most, texts);
                let mut draw = || match scattered {
                    true => supply.scattered(&mut rng),
                    false => supply.draw(&mut rng),
                };
                let drawn: Vec<Value> = (0..most).map(|_| draw()).collect();
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
