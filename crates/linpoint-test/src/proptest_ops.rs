//! Operations drawn by proptest strategies.
//!
//! A drawing makes two choices: a seed for proptest's own generator, and the number of times the
//! value is simplified. Shrinking increases the second and leaves it to proptest what is simpler.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::rng::{Rng, mix};

/// Draws a value.
///
/// # Panics
///
/// If the strategy yields no value (its filter is too strict).
pub(crate) fn draw<V>(strategy: &impl Strategy<Value = V>, rng: &mut Rng) -> V {
    let seed = rng.seed();
    let simplifications = rng.simplifications();
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&mix(seed).to_le_bytes());
    bytes[8..].copy_from_slice(&mix(!seed).to_le_bytes());
    let random = TestRng::from_seed(RngAlgorithm::XorShift, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), random);
    let mut tree = match strategy.new_tree(&mut runner) {
        Ok(tree) => tree,
        Err(why) => panic!("the strategy yields no operation: {why}"),
    };
    for _ in 0..simplifications {
        if !tree.simplify() {
            break;
        }
    }
    tree.current()
}
