//! Discovered states in order, each with its predecessor.

/// Entries per allocation: nothing is copied, and little memory is unused.
const CHUNK: usize = 1 << 16;

/// A list that grows without moving.
pub(crate) struct Chunks<T> {
    chunks: Vec<Vec<T>>,
}

impl<T: Copy> Chunks<T> {
    pub(crate) fn new() -> Self {
        Chunks { chunks: Vec::new() }
    }

    pub(crate) fn extend(&mut self, items: impl ExactSizeIterator<Item = T>) {
        let mut items = items.into_iter();
        while items.len() > 0 {
            if self.chunks.last().is_none_or(|last| last.len() == CHUNK) {
                self.chunks.push(Vec::with_capacity(CHUNK));
            }
            if let Some(last) = self.chunks.last_mut() {
                last.extend(items.by_ref().take(CHUNK - last.len()));
            }
        }
    }

    pub(crate) fn get(&self, at: usize) -> T {
        self.chunks[at / CHUNK][at % CHUNK]
    }

    pub(crate) fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.len())
    }

    pub(crate) fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK * size_of::<T>()
    }
}

/// States in the order of discovery.
pub(crate) struct Discovered {
    pub(crate) states: Chunks<u64>,
    /// The index of the predecessor.
    pub(crate) parents: Chunks<u32>,
    /// The position of the thread that moved last; kept only for orders by cost.
    movers: Option<Chunks<u8>>,
}

impl Discovered {
    pub(crate) fn new(keeps_movers: bool) -> Discovered {
        Discovered {
            states: Chunks::new(),
            parents: Chunks::new(),
            movers: keeps_movers.then(Chunks::new),
        }
    }

    /// Adds states, each with the index of its predecessor and the position of the thread that moved.
    pub(crate) fn add(&mut self, new: &[(u64, u32, u8)]) {
        self.states.extend(new.iter().map(|(state, _, _)| *state));
        self.parents.extend(new.iter().map(|(_, parent, _)| *parent));
        if let Some(movers) = &mut self.movers {
            movers.extend(new.iter().map(|(_, _, mover)| *mover));
        }
    }

    pub(crate) fn mover(&self, at: usize) -> u8 {
        self.movers.as_ref().map_or(0, |movers| movers.get(at))
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// The path to this state from the initial one.
    pub(crate) fn path(&self, to: u32) -> Vec<u64> {
        let mut path = vec![self.states.get(to as usize)];
        let mut at = to;
        while at != 0 {
            at = self.parents.get(at as usize);
            path.push(self.states.get(at as usize));
        }
        path.reverse();
        path
    }

    pub(crate) fn bytes(&self) -> usize {
        self.states.bytes() + self.parents.bytes() + self.movers.as_ref().map_or(0, Chunks::bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_added_in_pieces_keep_their_order() {
        let mut discovered = Discovered::new(true);
        let all: Vec<(u64, u32, u8)> =
            (0..200_000).map(|i| (u64::from(i) + 1, i / 2, i as u8)).collect();
        let (few, rest) = all.split_at(3);
        let (many, none) = rest.split_at(rest.len());
        [few, none, many].iter().for_each(|new| discovered.add(new));
        assert_eq!(discovered.len(), all.len());
        let same = |(at, (state, parent, mover)): (usize, &(u64, u32, u8))| {
            (discovered.states.get(at), discovered.parents.get(at), discovered.mover(at))
                == (*state, *parent, *mover)
        };
        assert!(all.iter().enumerate().all(same));
        assert_eq!(discovered.path(5), [1, 2, 3, 6]);
    }
}
