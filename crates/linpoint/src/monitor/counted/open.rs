//! The operations that are open, each with a slot of its own.

use super::{Kind, NONE, Problem};

/// Open operations that will return, by slot.
#[derive(Debug)]
pub(super) struct Open {
    /// The row in each slot.
    rows: [u32; 64],
    free: u64,
    pub(super) adds: u64,
    pub(super) removals: u64,
    pub(super) peeks: u64,
    pub(super) empties: u64,
}

impl Open {
    pub(super) fn new() -> Open {
        Open { rows: [NONE; 64], free: u64::MAX, adds: 0, removals: 0, peeks: 0, empties: 0 }
    }

    /// Gives the row a slot; `None` if all are in use.
    pub(super) fn call(&mut self, row: u32, kind: Kind) -> Option<u32> {
        if self.free == 0 {
            return None;
        }
        let slot = self.free.trailing_zeros();
        self.free &= self.free - 1;
        self.rows[slot as usize] = row;
        let mask = match kind {
            Kind::Add => &mut self.adds,
            Kind::Remove => &mut self.removals,
            Kind::Peek => &mut self.peeks,
            _ => &mut self.empties,
        };
        *mask |= 1 << slot;
        Some(slot)
    }

    pub(super) fn close(&mut self, slot: u32) {
        let bit = 1 << slot;
        self.free |= bit;
        for mask in [&mut self.adds, &mut self.removals, &mut self.peeks, &mut self.empties] {
            *mask &= !bit;
        }
    }

    pub(super) fn row(&self, slot: u32) -> u32 {
        self.rows[slot as usize]
    }

    pub(super) fn has(mask: u64, slot: u32) -> bool {
        mask >> slot & 1 == 1
    }

    /// Of the slots in `mask` that are about the value, the one that returns first.
    pub(super) fn first_to_return(&self, p: &Problem<'_>, mask: u64, value: u32) -> Option<u32> {
        slots(mask)
            .filter(|slot| p.value(self.row(*slot)) == value)
            .min_by_key(|slot| p.c.right[self.row(*slot) as usize])
    }
}

/// The slots in a mask.
pub(super) fn slots(mut mask: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let slot = (mask != 0).then(|| mask.trailing_zeros())?;
        mask &= mask - 1;
        Some(slot)
    })
}
