//! A register, through an atomic variable or through something weaker.
//!
//! The paper's example is a variable of Java that is not volatile. Rust has no such thing: a shared variable
//! that is not atomic is undefined behaviour. What compiler and machine may do to one is done here by hand.

use std::cell::Cell;
use std::sync::atomic::AtomicU64 as Numbers;

use linpoint::spec::models::{RegisterOp, RegisterRet};

use super::sync::atomic::{AtomicU64, Ordering, Ordering::*, fence};

/// How a register is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Care {
    /// With fences: a write is there for everybody when it returns.
    Sound,
    /// Relaxed loads and stores: a write may still be on its way when it returns.
    Relaxed,
    /// As if the compiler had moved the load out of a loop of reads: every thread keeps a copy, which its
    /// own writes and every fourth read renew.
    Hoisted,
}

/// A register that holds a number, at first zero.
pub struct Register {
    value: AtomicU64,
    care: Care,
    /// Copies belong to one register: threads outlive it.
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
    /// A register that holds zero.
    pub fn new(care: Care) -> Self {
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        Register { value: AtomicU64::new(0), care, number }
    }

    fn read(&self) -> u64 {
        match self.care {
            Care::Sound => {
                fence(SeqCst);
                self.value.load(Acquire)
            }
            Care::Relaxed => self.value.load(Relaxed),
            Care::Hoisted => COPY.with(|copy| {
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
        match self.care {
            Care::Sound => {
                // Without the first, a write might go before another one that has already returned.
                fence(SeqCst);
                self.value.store(value, Release);
                fence(SeqCst);
            }
            Care::Relaxed => self.value.store(value, Relaxed),
            Care::Hoisted => {
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
