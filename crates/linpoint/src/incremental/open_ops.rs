//! The open operations of a part.

use crate::history::OpId;
use crate::subject::Marks;

use super::monitor::Token;

/// An operation that has begun and not yet ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenOp {
    pub(super) op: OpId,
    /// Its number in the stream.
    pub(super) number: u64,
    /// The monitor's data, if there is one.
    pub(super) token: Token,
}

/// Open operations by slot. Free slots are reused.
#[derive(Default)]
pub(super) struct OpenOps {
    slots: Vec<Option<OpenOp>>,
    free: Vec<u32>,
    count: usize,
}

impl OpenOps {
    /// Number of open operations.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Number of slots.
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    #[inline]
    pub(super) fn get(&self, slot: u32) -> Option<OpenOp> {
        *self.slots.get(slot as usize)?
    }

    /// All open operations, with their slots.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, OpenOp)> {
        let slots = self.slots.iter().enumerate();
        slots.filter_map(|(slot, open)| Some((slot as u32, (*open)?)))
    }

    /// Puts an operation into a free slot.
    pub(super) fn insert(&mut self, open: OpenOp) -> u32 {
        self.count += 1;
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = Some(open);
                slot
            }
            None => {
                self.slots.push(Some(open));
                self.slots.len() as u32 - 1
            }
        }
    }

    /// Puts an operation into this slot. [`OpenOps::insert`] must not add another one to it.
    pub(super) fn insert_at(&mut self, slot: u32, open: OpenOp) {
        if slot as usize >= self.slots.len() {
            self.slots.resize(slot as usize + 1, None);
        }
        if self.slots[slot as usize].replace(open).is_none() {
            self.count += 1;
        }
    }

    /// Changes the monitor's data.
    pub(super) fn set_token(&mut self, slot: u32, token: Token) {
        if let Some(Some(open)) = self.slots.get_mut(slot as usize) {
            open.token = token;
        }
    }

    /// Frees a slot.
    pub(super) fn remove(&mut self, slot: u32) -> Option<OpenOp> {
        let open = self.slots.get_mut(slot as usize)?.take()?;
        self.count -= 1;
        self.free.push(slot);
        Some(open)
    }

    /// Frees all slots.
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
        self.count = 0;
    }

    pub(super) fn mark(&self, marks: &mut Marks) {
        self.iter().for_each(|(_, open)| marks.op(open.op));
    }
}
