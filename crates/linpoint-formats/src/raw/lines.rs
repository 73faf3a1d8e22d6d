//! The lines on which operations begin.

/// A line for each operation. Usually each is on the line after the previous one; then all of them
/// together take a few bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    /// The positions at which a line does not follow the previous one: the operation and its line.
    runs: Vec<(u32, u32)>,
    len: u32,
}

impl Lines {
    /// Adds an operation that begins on this line.
    #[inline]
    pub(crate) fn push(&mut self, line: u32) {
        match self.runs.last() {
            Some(&(op, first)) if line.wrapping_sub(first) == self.len - op => {}
            _ => self.runs.push((self.len, line)),
        }
        self.len += 1;
    }

    /// Moves all operations of another list behind those of this one. Their lines were counted from `from` on.
    pub(crate) fn append(&mut self, other: &mut Lines, from: u32) {
        let Lines { runs, len } = std::mem::take(other);
        for (op, line) in runs {
            let line = line.wrapping_add(from);
            match self.runs.last() {
                Some(&(before, first)) if line.wrapping_sub(first) == self.len + op - before => {}
                _ => self.runs.push((self.len + op, line)),
            }
        }
        self.len += len;
    }

    /// The line of an operation.
    pub(crate) fn get(&self, op: usize) -> Option<u32> {
        let op = u32::try_from(op).ok().filter(|op| *op < self.len)?;
        let run = self.runs.partition_point(|(first, _)| *first <= op).checked_sub(1)?;
        let (first, line) = self.runs[run];
        Some(line.wrapping_add(op - first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_lines_can_be_asked_for() {
        for list in [vec![], vec![1, 2, 3], vec![5, 6, 9, 10, 2, 2, 3, 0, u32::MAX, 0]] {
            let mut lines = Lines::default();
            list.iter().for_each(|line| lines.push(*line));
            let got: Vec<u32> = (0..list.len()).filter_map(|op| lines.get(op)).collect();
            assert_eq!(got, list);
            assert_eq!(lines.get(list.len()), None);
        }
    }

    #[test]
    fn lists_are_joined() {
        let list = [5, 6, 9, 10, 11, 12, 14, 20, 21];
        for cut in 0..=list.len() {
            for from in [0, 3] {
                let [mut front, mut back, mut all] = [0; 3].map(|_| Lines::default());
                list.iter().for_each(|line| all.push(*line));
                list[..cut].iter().for_each(|line| front.push(*line));
                list[cut..].iter().for_each(|line| back.push(*line - from));
                front.append(&mut back, from);
                assert_eq!((&front.runs, front.len), (&all.runs, all.len), "{cut} {from}");
                assert_eq!((back.runs.len(), back.len), (0, 0));
            }
        }
    }
}
