//! Every state that was met, in the order of discovery, with the one it was reached from.

/// So many entries are allocated at once: no copying, and little room to spare.
const CHUNK: usize = 1 << 16;

/// A list that grows without moving.
pub(crate) struct Chunks<T> {
    chunks: Vec<Vec<T>>,
}

impl<T: Copy> Chunks<T> {
    pub(crate) fn new() -> Self {
        Chunks { chunks: Vec::new() }
    }

    pub(crate) fn push(&mut self, item: T) {
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK => last.push(item),
            _ => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(item);
                self.chunks.push(chunk);
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
pub(crate) struct Met {
    pub(crate) states: Chunks<u64>,
    /// Where the state was reached from.
    pub(crate) parents: Chunks<u32>,
    /// The position of the thread that moved last; kept only for orders that ask for it.
    movers: Option<Chunks<u8>>,
}

impl Met {
    pub(crate) fn new(keeps_movers: bool) -> Met {
        Met {
            states: Chunks::new(),
            parents: Chunks::new(),
            movers: keeps_movers.then(Chunks::new),
        }
    }

    pub(crate) fn add(&mut self, state: u64, parent: u32, mover: u8) {
        self.states.push(state);
        self.parents.push(parent);
        if let Some(movers) = &mut self.movers {
            movers.push(mover);
        }
    }

    pub(crate) fn mover(&self, at: usize) -> u8 {
        self.movers.as_ref().map_or(0, |movers| movers.get(at))
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// The states that lead to this one, from the first.
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
