//! A register: an atomic variable, or something weaker.
//!
//! The paper's example is a Java variable that is not volatile. Rust has no such thing: a data race
//! is undefined behaviour. This file does by hand what compiler and machine may do to such a
//! variable.

use std::cell::Cell;
use std::sync::atomic::AtomicU64 as Numbers;

use linpoint::spec::models::{RegisterOp, RegisterRet};

use super::sync::atomic::{AtomicU64, Ordering, Ordering::*, fence};

/// How a register is implemented.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// With fences: a write is visible to all threads when it returns.
    Fenced,
    /// Relaxed loads and stores: a write may not be visible yet when it returns.
    Relaxed,
    /// As if the compiler had hoisted the load out of a loop: every thread keeps a copy, which its
    /// own writes and every fourth read refresh.
    Hoisted,
}

/// A register for a number, initially zero.
pub struct Register {
    value: AtomicU64,
    variant: Variant,
    /// Identifies the register of a copy, because threads outlive registers.
    number: u64,
}

#[derive(Clone, Copy)]
struct Copy {
    of: u64,
    value: u64,
    reads_left: u32,
}

const READS_OF_A_COPY: u32 = 3;

super::sync::thread_local! {
    // Loom's thread locals have no constant initialisers.
    #[allow(clippy::missing_const_for_thread_local)]
    static COPY: Cell<Copy> = Cell::new(Copy { of: 0, value: 0, reads_left: 0 });
}

static NEXT_NUMBER: Numbers = Numbers::new(1);

impl Register {
    /// A register at zero.
    pub fn new(variant: Variant) -> Self {
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        Register { value: AtomicU64::new(0), variant, number }
    }

    fn read(&self) -> u64 {
        match self.variant {
            Variant::Fenced => {
                fence(SeqCst);
                self.value.load(Acquire)
            }
            Variant::Relaxed => self.value.load(Relaxed),
            Variant::Hoisted => COPY.with(|copy| {
                let mut mine = copy.get();
                if mine.of != self.number || mine.reads_left == 0 {
                    mine = self.copy_of(self.value.load(Acquire));
                } else {
                    mine.reads_left -= 1;
                }
                copy.set(mine);
                mine.value
            }),
        }
    }

    fn write(&self, value: u64) {
        match self.variant {
            Variant::Fenced => {
                // Without the first fence, a write could be ordered before another one that has
                // already returned.
                fence(SeqCst);
                self.value.store(value, Release);
                fence(SeqCst);
            }
            Variant::Relaxed => self.value.store(value, Relaxed),
            Variant::Hoisted => {
                self.value.store(value, Release);
                COPY.with(|copy| copy.set(self.copy_of(value)));
            }
        }
    }

    fn copy_of(&self, value: u64) -> Copy {
        Copy { of: self.number, value, reads_left: READS_OF_A_COPY }
    }

    /// Performs one operation.
    pub fn perform(&self, op: &RegisterOp<u64>) -> RegisterRet<u64> {
        match op {
            RegisterOp::Read => RegisterRet::Value(self.read()),
            RegisterOp::Write(value) => {
                self.write(*value);
                RegisterRet::Written
            }
        }
    }
}
