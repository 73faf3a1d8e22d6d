//! What a part tells those who take it over, or hand it over.

use super::{OpenOp, Part};
use crate::spec::Spec;

impl<S: Spec> Part<S> {
    /// Number of things that are stored.
    pub(in crate::incremental) fn stored(&self) -> usize {
        let in_configs: usize = self.configs.iter().map(|c| 1 + c.done.len() + c.used.len()).sum();
        self.open.len() + self.crashed.len() + in_configs
    }

    /// At most one operation is open, and it is known in which state it was called.
    pub(in crate::incremental) fn is_simple(&self) -> bool {
        let is_known = matches!(self.configs.as_slice(), [config] if config.done.is_empty());
        is_known && self.open_count <= 1 && self.crashed.is_empty()
    }

    /// One operation is open, and nothing can have happened since its call: the state, its slot, and the
    /// operation with its number.
    pub(in crate::incremental) fn lone(&self) -> Option<(&S::State, u32, &S::Op, u64)> {
        let config = self.configs.first().filter(|_| self.open_count == 1 && self.is_simple())?;
        let slot = self.open.iter().position(Option::is_some)?;
        let OpenOp { op, number } = self.open[slot].as_ref()?;
        Some((&config.state, slot as u32, op, *number))
    }

    /// Moves open operations to other slots, of which there are `count`, and the `free` ones are these.
    pub(in crate::incremental) fn move_to(
        &mut self,
        slot_of: impl Fn(u64) -> Option<u32>,
        count: usize,
        free: Vec<u32>,
    ) {
        let mut moved: Vec<Option<OpenOp<S::Op>>> = (0..count).map(|_| None).collect();
        let mut new_slots = vec![None; self.open.len()];
        for (old, open) in std::mem::take(&mut self.open).into_iter().enumerate() {
            let Some(open) = open else { continue };
            if let Some(new) = slot_of(open.number).filter(|new| (*new as usize) < count) {
                new_slots[old] = Some(new);
                moved[new as usize] = Some(open);
            }
        }
        for config in &mut self.configs {
            for (slot, _) in &mut config.done {
                *slot = new_slots[*slot as usize].unwrap_or(*slot);
            }
            config.done.sort_unstable_by_key(|(slot, _)| *slot);
        }
        self.open_count = moved.iter().flatten().count();
        (self.open, self.free) = (moved, free);
    }

    /// A part about which nothing is known, with these operations open, by slot, and these slots free.
    pub(in crate::incremental) fn given_up(
        open: Vec<Option<(S::Op, u64)>>,
        free: Vec<u32>,
        initial: S::State,
    ) -> Self {
        let open_count = open.iter().flatten().count();
        let opened = |(op, number)| OpenOp { op, number };
        let open = open.into_iter().map(|open| open.map(opened)).collect();
        let given_up = true;
        Part { open, free, open_count, configs: Vec::new(), given_up, ..Part::new(initial) }
    }
}
