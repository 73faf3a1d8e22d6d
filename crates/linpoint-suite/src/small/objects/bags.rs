//! Bag of numbers.

use linpoint::spec::models::{Bag, BagOp, BagRet};

use crate::Rng;
use crate::small::draw::Style;
use crate::small::{Nibbles, SmallObject};

/// A bag.
pub struct SmallBag;

impl SmallObject for SmallBag {
    type Op = BagOp<u8>;
    type Ret = BagRet<u8>;
    type Spec = Bag<u8>;

    fn name(&self) -> &'static str {
        "bag"
    }

    fn spec(&self) -> Bag<u8> {
        Bag::new()
    }

    fn step(&self, state: u64, op: &BagOp<u8>) -> Option<(BagRet<u8>, u64)> {
        let mut first = None;
        self.any_step(state, op, &mut |ret, next| {
            first = Some((ret, next));
            true
        });
        first
    }

    fn any_step(
        &self,
        state: u64,
        op: &BagOp<u8>,
        visit: &mut dyn FnMut(BagRet<u8>, u64) -> bool,
    ) -> bool {
        let mut held: Vec<u8> = Nibbles(state).iter().collect();
        let packed = |held: &[u8]| held.iter().fold(Nibbles(0), |all, v| all.push(*v)).0;
        match op {
            // Sorted, so that equal contents are equal states.
            BagOp::Add(value) => {
                held.push(*value);
                held.sort_unstable();
                visit(BagRet::Done, packed(&held))
            }
            BagOp::Remove if held.is_empty() => visit(BagRet::Value(None), state),
            BagOp::Remove => {
                held.sort_unstable();
                (0..held.len()).any(|i| {
                    let mut left = held.clone();
                    let value = left.remove(i);
                    (i == 0 || held[i - 1] != value)
                        && visit(BagRet::Value(Some(value)), packed(&left))
                })
            }
        }
    }

    fn draw_step(&self, rng: &mut Rng, state: u64, op: &BagOp<u8>) -> Option<(BagRet<u8>, u64)> {
        let mut steps = Vec::new();
        self.any_step(state, op, &mut |ret, next| {
            steps.push((ret, next));
            false
        });
        let chosen = rng.usize(..steps.len());
        Some(steps.swap_remove(chosen))
    }

    fn draw(&self, rng: &mut Rng, _style: &Style, fresh: u8) -> BagOp<u8> {
        if rng.bool() { BagOp::Add(fresh) } else { BagOp::Remove }
    }

    fn any_result(&self, rng: &mut Rng, op: &BagOp<u8>, values: u8) -> BagRet<u8> {
        match op {
            BagOp::Add(_) => BagRet::Done,
            BagOp::Remove => {
                let value = rng.usize(..usize::from(values) + 1) as u8;
                BagRet::Value((value < values).then_some(value))
            }
        }
    }

    fn letters(&self, values: u8) -> Vec<(BagOp<u8>, Option<BagRet<u8>>)> {
        let mut letters = vec![(BagOp::Remove, None)];
        for v in 0..values {
            letters.extend([(BagOp::Add(v), Some(BagRet::Done)), (BagOp::Add(v), None)]);
        }
        let found = (0..values).map(Some).chain([None]);
        letters.extend(found.map(|found| (BagOp::Remove, Some(BagRet::Value(found)))));
        letters
    }
}
