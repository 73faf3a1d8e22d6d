//! A register with load-linked and store-conditional.

/// A register with a bit for each process: set while the register was not written since the process loaded it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct LlSc<T> {
    pub(super) value: T,
    links: u16,
}

impl<T: Copy> LlSc<T> {
    pub(super) fn new(value: T) -> LlSc<T> {
        LlSc { value, links: 0 }
    }

    /// LL: reads and links.
    pub(super) fn load(&mut self, process: usize) -> T {
        self.links |= 1 << process;
        self.value
    }

    /// VL: true if the register was not written since the process loaded it.
    pub(super) fn is_linked(&self, process: usize) -> bool {
        self.links >> process & 1 == 1
    }

    /// SC: writes if the register was not written since the process loaded it.
    pub(super) fn store(&mut self, process: usize, value: T) {
        if self.is_linked(process) {
            self.write(value);
        }
    }

    /// A plain write.
    pub(super) fn write(&mut self, value: T) {
        *self = LlSc::new(value);
    }

    /// Drops a link. The process links again before it stores, so no step can tell the difference.
    pub(super) fn forget(&mut self, process: usize) {
        self.links &= !(1 << process);
    }
}
