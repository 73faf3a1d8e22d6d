//! A register with load-linked and store-conditional.

/// A register; a bit for each process says whether nobody has written since it loaded.
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

    /// VL: has nobody written since?
    pub(super) fn is_linked(&self, process: usize) -> bool {
        self.links >> process & 1 == 1
    }

    /// SC: writes if nobody has written since.
    pub(super) fn store(&mut self, process: usize, value: T) {
        if self.is_linked(process) {
            self.write(value);
        }
    }

    /// A plain write.
    pub(super) fn write(&mut self, value: T) {
        *self = LlSc::new(value);
    }

    /// The process will link again before it stores: nobody can tell the difference.
    pub(super) fn forget(&mut self, process: usize) {
        self.links &= !(1 << process);
    }
}
