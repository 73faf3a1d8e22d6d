//! Random numbers whose sequence never changes.
//!
//! Some seeds outlive the program that used them: reports of `linpoint-test` name the seed that found a failure, and
//! tables of measurements are about histories that were drawn from a seed. Both must mean the same after `cargo
//! update`. `fastrand` does not promise that: its 2.1.0 changed the sequence of every seed. Tests whose seeds are
//! written down nowhere use `fastrand`.

/// `SplitMix64` (Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014): a few lines with
/// a fixed definition, and good from any seed.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64 { state: seed }
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// A number from 0 to `largest`, almost uniform, without a division.
    #[inline]
    pub fn up_to(&mut self, largest: u64) -> u64 {
        ((u128::from(self.next_u64()) * (u128::from(largest) + 1)) >> 64) as u64
    }

    /// A position in a list of this length, which must not be 0.
    #[inline]
    pub fn index(&mut self, len: usize) -> usize {
        self.up_to(len as u64 - 1) as usize
    }

    /// True with this probability.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        // All 53 bits that fit exactly.
        ((self.next_u64() >> 11) as f64) < probability * (1_u64 << 53) as f64
    }
}

/// Mixes the bits of a number.
#[inline]
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seeds that are written down stay valid only if the numbers stay the same.
    #[test]
    fn the_sequence_of_a_seed_is_fixed() {
        let mut source = SplitMix64::new(1_234_567);
        assert_eq!(
            [source.next_u64(), source.next_u64(), source.next_u64()],
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }
}
