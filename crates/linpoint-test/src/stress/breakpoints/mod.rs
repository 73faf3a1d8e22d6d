//! Stops threads at particular instructions, in the middle of operations, by breakpoints.
//!
//! A bug shows if a thread is stopped between two accesses of shared memory while others get something done. Timers
//! and busy machines stop threads anywhere, mostly elsewhere, and on a busy machine the others do not run either.
//! A breakpoint stops a thread exactly there, and what follows waits for the others: it needs no second core.
//!
//! 1. **Points** ([`code`]) are the instructions of operations that may access shared memory. They are found by
//!    single-stepping a few operations (the trap flag of the processor).
//! 2. Before an operation, a thread sometimes puts a breakpoint at a random point ([`table`]): it replaces the first
//!    byte of the instruction by `INT3`, through `/proc/self/mem`.
//! 3. The first thread that comes by traps ([`trap`]). The handler of the signal puts the byte back, waits until the
//!    others have performed some operations, or do not get on ([`pace`]), and then the thread goes on.
//!
//! This samples schedules with a few preemptions, at the level of instructions and of code that is not prepared for it. The
//! processor executes the same instructions as without breakpoints, so it cannot make a correct object fail.
//!
//! # Why this is safe
//!
//! * **Code stays intact.** Only the first byte of an instruction that was executed is replaced, and only in the
//!   main program, which is never unloaded. Processors accept a change of one byte while other cores execute the code:
//!   they execute the old instruction or the trap. Each byte that was ever replaced is in a table, before it is
//!   replaced and forever. Each thread that traps puts the original back, however often, so a breakpoint that is left over, or hit
//!   by a thread of another test, costs a microsecond.
//! * **The handler is async-signal-safe.** It allocates nothing and takes no locks. It uses atomics, thread-local
//!   variables without destructors in the main program, and the system calls `pwrite`, `pread`,
//!   `futex` and `clock_gettime`.
//!   It may itself run into a breakpoint, since unoptimised programs share functions such as those of atomics. So the part that
//!   puts the byte back calls no function at all; the signal is not blocked meanwhile; and each breakpoint that is hit in
//!   the rest is gone afterwards.
//! * **Threads that block `SIGTRAP`** would be killed. If any thread of the process does when a test begins, there are no
//!   breakpoints. glibc blocks all signals while it starts threads and processes, in its own code only, where no
//!   breakpoints are. Single-stepping ends before any system call that could block signals or start threads.
//! * **Forked processes** have a copy of the code, with the breakpoints in it. They inherit the handler, which puts the byte
//!   back in the memory of the process that trapped.
//! * **Real-time priority**: such threads keep the core from those that a stopped thread waits for. There, a test was seen
//!   not to end. So there are no breakpoints.
//! * **Not covered**: a thread that the code under test starts *during* a test, that blocks `SIGTRAP` and performs the same
//!   instructions as operations do.
//! * Where something is in the way, there are no breakpoints: under a debugger, if the program handles `SIGTRAP` itself,
//!   if the system forbids to write `/proc/self/mem`, if a test of the machinery fails, under Miri, on other systems than
//!   Linux and other processors than x86-64, and with `LINPOINT_BREAKPOINTS=off`.

#![cfg_attr(not(all(target_os = "linux", target_arch = "x86_64", not(miri))), allow(dead_code))]

mod code;
mod pace;
mod points;
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
mod table;
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
mod trap;

pub(super) use pace::Pace;
pub(super) use points::{Points, Stops};
