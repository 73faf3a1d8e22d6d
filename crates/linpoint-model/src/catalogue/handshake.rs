//! Numbers and bits that processes only compare. States store the outcomes of the comparisons.
//!
//! A scan has to find out whether a process has written since the scan read its register. It compares a sequence number
//! or a toggle in the register with the one it read before, or handshake bits: one of the scanner and one of the
//! updater, which the scanner makes equal before it reads and the updater makes different when it writes. No step
//! depends on the numbers and bits themselves, so states with the same outcomes of all comparisons have the same future.
//! [`super::llsc::LlSc`] does the same with the links of LL and SC.

/// A sequence number, a toggle, or handshake bits if updaters compare and write them in one step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Stamp {
    /// Processes that have read it and will read it again, a bit for each.
    looked: u16,
    /// Those of them that would see a different one now.
    pub(super) changed: u16,
}

impl Stamp {
    /// The first read; or the scanner makes its bit equal to the updater's.
    pub(super) fn look(&mut self, process: usize) {
        self.looked |= 1 << process;
        self.changed &= !(1 << process);
    }

    /// The second read: has it changed since the first, or do the bits differ? Forgets both.
    pub(super) fn has_changed(&mut self, process: usize) -> bool {
        let has_changed = self.is_changed_for(process);
        self.forget(process);
        has_changed
    }

    /// Would the second read differ?
    pub(super) fn is_changed_for(&self, process: usize) -> bool {
        bit(self.changed, process)
    }

    /// There will be no second read.
    pub(super) fn forget(&mut self, process: usize) {
        self.looked &= !(1 << process);
        self.changed &= !(1 << process);
    }

    /// Writes a number that no process has seen.
    pub(super) fn increase(&mut self) {
        self.changed |= self.looked;
    }

    /// Flips the toggle.
    pub(super) fn flip(&mut self) {
        self.changed ^= self.looked;
    }

    /// The updater writes a bit that differs from this scanner's, or one that equals it.
    pub(super) fn write_for(&mut self, scanner: usize, differs: bool) {
        self.changed = with_bit(self.changed, scanner, differs && bit(self.looked, scanner));
    }
}

/// The handshake bits of an updater with each scanner, if the updater compares them in one step and writes in another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Hands {
    /// Scanners whose bit differs.
    pub(super) differ: u16,
    /// Scanners for which the updater has chosen a bit and not written it yet.
    chosen: u16,
    /// Those of them whose bit would differ.
    will_differ: u16,
}

impl Hands {
    /// Do they differ?
    pub(super) fn differ_from(&self, scanner: usize) -> bool {
        bit(self.differ, scanner)
    }

    /// The scanner makes its bit equal to the updater's.
    pub(super) fn agree(&mut self, scanner: usize) {
        // If this flips the scanner's bit, the chosen bit is compared with the flipped one.
        self.will_differ ^= self.differ & self.chosen & 1 << scanner;
        self.differ &= !(1 << scanner);
    }

    /// The updater chooses a bit to write later: one that differs from the scanner's, or one that equals it.
    pub(super) fn choose(&mut self, scanner: usize, differs: bool) {
        self.chosen |= 1 << scanner;
        self.will_differ = with_bit(self.will_differ, scanner, differs);
    }

    /// The updater writes the bits that it has chosen.
    pub(super) fn write_chosen(&mut self) {
        self.differ = self.differ & !self.chosen | self.will_differ;
        (self.chosen, self.will_differ) = (0, 0);
    }
}

pub(super) fn bit(bits: u16, at: usize) -> bool {
    bits >> at & 1 == 1
}

/// ` toggle≠0,2` if processes 0 and 2 have seen a different one; empty if none has.
pub(super) fn unequal(what: &str, bits: u16) -> String {
    let all: Vec<String> = (0..16).filter(|p| bit(bits, *p)).map(|p| p.to_string()).collect();
    if all.is_empty() { String::new() } else { format!(" {what}≠{}", all.join(",")) }
}

fn with_bit(bits: u16, at: usize, set: bool) -> u16 {
    bits & !(1 << at) | u16::from(set) << at
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    const PROCESSES: usize = 3;

    #[test]
    fn stamps_agree_with_sequence_numbers_and_toggles() {
        let mut rng = Rng::with_seed(1);
        let (mut number, mut toggle) = (0_u32, false);
        let mut seen = [None; PROCESSES];
        let (mut as_number, mut as_toggle) = (Stamp::default(), Stamp::default());
        let mut answers = [0; 3];
        for _ in 0..100_000 {
            let p = rng.usize(..PROCESSES);
            match (rng.usize(..2), seen[p].take()) {
                (0, before) => {
                    seen[p] = before;
                    (number, toggle) = (number + 1, !toggle);
                    as_number.increase();
                    as_toggle.flip();
                }
                (_, None) => {
                    seen[p] = Some((number, toggle));
                    as_number.look(p);
                    as_toggle.look(p);
                }
                (_, Some(before)) => {
                    let differ = (before.0 != number, before.1 != toggle);
                    assert_eq!((as_number.has_changed(p), as_toggle.has_changed(p)), differ);
                    answers[usize::from(differ.0) + usize::from(differ.1)] += 1;
                }
            }
        }
        assert!(answers.iter().all(|count| *count > 1000), "{answers:?}");
    }

    #[test]
    fn stamps_agree_with_handshake_bits() {
        let mut rng = Rng::with_seed(3);
        let (mut updater, mut scanner) = ([false; PROCESSES], [false; PROCESSES]);
        let mut looks = [false; PROCESSES];
        let mut stamp = Stamp::default();
        let mut answers = [0; 2];
        for _ in 0..100_000 {
            let (p, negates) = (rng.usize(..PROCESSES), rng.usize(..2) == 1);
            if rng.usize(..2) == 0 {
                updater[p] = scanner[p] ^ negates;
                stamp.write_for(p, negates);
                continue;
            }
            looks[p] = !looks[p];
            if looks[p] {
                scanner[p] = updater[p];
                stamp.look(p);
            } else {
                let differs = updater[p] != scanner[p];
                assert_eq!(stamp.has_changed(p), differs);
                answers[usize::from(differs)] += 1;
            }
        }
        assert!(answers.iter().all(|count| *count > 1000), "{answers:?}");
    }

    #[test]
    fn hands_agree_with_handshake_bits() {
        let mut rng = Rng::with_seed(2);
        let (mut updater, mut scanner) = ([false; PROCESSES], [false; PROCESSES]);
        let mut chosen = [None; PROCESSES];
        let mut hands = Hands::default();
        let mut answers = [0; 2];
        for _ in 0..100_000 {
            let (p, negates) = (rng.usize(..PROCESSES), rng.usize(..2) == 1);
            match rng.usize(..3) {
                0 => {
                    scanner[p] = updater[p];
                    hands.agree(p);
                }
                1 => {
                    chosen[p] = Some(scanner[p] ^ negates);
                    hands.choose(p, negates);
                }
                _ => {
                    for (bit, chosen) in updater.iter_mut().zip(&mut chosen) {
                        *bit = chosen.take().unwrap_or(*bit);
                    }
                    hands.write_chosen();
                }
            }
            assert_eq!(hands.differ_from(p), updater[p] != scanner[p]);
            answers[usize::from(hands.differ_from(p))] += 1;
        }
        assert!(answers.iter().all(|count| *count > 1000), "{answers:?}");
    }
}
