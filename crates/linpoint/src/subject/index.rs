//! Finds a value among those that have numbers.

const EMPTY: u32 = u32::MAX;

/// A set of numbers.
#[derive(Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn set(&mut self, at: u32) {
        let word = at as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (at % 64);
    }

    #[inline]
    pub(super) fn get(&self, at: u32) -> bool {
        self.0.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Open addressing over the hashes of numbered values. The values themselves are stored elsewhere.
#[derive(Default)]
pub(super) struct Index {
    /// Hashes of the values, by number.
    hashes: Vec<u64>,
    /// A power of two long or empty; [`EMPTY`] marks a free cell.
    cells: Vec<u32>,
    /// Cells in use.
    used: usize,
}

impl Index {
    /// Finds the value with this hash for which `is_it` holds, or else the cell where it belongs. There must be a
    /// free cell, see [`Index::is_full`].
    pub(super) fn find(&self, hash: u64, is_it: impl Fn(usize) -> bool) -> Result<u32, usize> {
        let wrap = self.cells.len() - 1;
        let mut at = (hash >> 20) as usize & wrap;
        loop {
            let id = self.cells[at];
            if id == EMPTY {
                return Err(at);
            }
            if self.hashes[id as usize] == hash && is_it(id as usize) {
                return Ok(id);
            }
            at = (at + 1) & wrap;
        }
    }

    /// Adds a value at the cell that [`Index::find`] gave.
    pub(super) fn insert(&mut self, at: usize, id: u32, hash: u64) {
        if id as usize >= self.hashes.len() {
            self.hashes.resize(id as usize + 1, 0);
        }
        self.hashes[id as usize] = hash;
        self.cells[at] = id;
        self.used += 1;
    }

    /// True if there must be more cells before a value is looked for.
    pub(super) fn is_full(&self) -> bool {
        self.used * 4 >= self.cells.len() * 3
    }

    /// Number of cells.
    pub(super) fn cells(&self) -> usize {
        self.cells.len()
    }

    /// Makes room for the hashes of this many values.
    pub(super) fn reserve(&mut self, values: usize) {
        self.hashes.reserve_exact(values - self.hashes.len());
    }

    /// Changes the number of cells.
    pub(super) fn resize(&mut self, cells: usize) {
        let old = std::mem::replace(&mut self.cells, vec![EMPTY; cells]);
        self.used = 0;
        for id in old {
            self.put_back(id);
        }
    }

    /// Forgets all values. Takes time in proportion to their number.
    pub(super) fn clear(&mut self) {
        if self.cells.len() > 16 * self.used.max(16) {
            self.cells = Vec::new();
        }
        self.hashes.clear();
        self.cells.fill(EMPTY);
        self.used = 0;
    }

    /// Forgets the values that are not to be kept, numbers the others again in the same order, and gives memory
    /// back. Returns the new numbers.
    pub(super) fn keep_only(&mut self, keep: &[bool]) -> Vec<u32> {
        let mut renamed = vec![EMPTY; keep.len()];
        let mut hashes = Vec::new();
        for (id, renamed) in renamed.iter_mut().enumerate().filter(|(id, _)| keep[*id]) {
            *renamed = hashes.len() as u32;
            hashes.push(self.hashes[id]);
        }
        // No more than there were: the table was never fuller than this.
        let cells = (4 * hashes.len().div_ceil(3)).next_power_of_two().max(16);
        (self.cells, self.used) = (vec![EMPTY; cells.min(self.cells.len())], 0);
        self.hashes = hashes;
        (0..self.hashes.len() as u32).for_each(|id| self.put_back(id));
        renamed
    }

    /// Forgets the values that are not to be kept.
    pub(super) fn retain(&mut self, keep: &Bits) {
        let mut kept: Vec<u32> = std::mem::take(&mut self.cells);
        let cells = kept.len();
        kept.retain(|id| *id != EMPTY && keep.get(*id));
        let enough = (4 * kept.len().max(256)).next_power_of_two();
        // Many more than that are left from a time when there were more values.
        let cells = if cells > 16 * enough { enough } else { cells };
        self.cells = vec![EMPTY; cells];
        self.used = 0;
        for id in kept {
            self.put_back(id);
        }
    }

    fn put_back(&mut self, id: u32) {
        if id != EMPTY {
            let wrap = self.cells.len() - 1;
            let mut at = (self.hashes[id as usize] >> 20) as usize & wrap;
            while self.cells[at] != EMPTY {
                at = (at + 1) & wrap;
            }
            self.cells[at] = id;
            self.used += 1;
        }
    }
}
