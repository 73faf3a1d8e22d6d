//! Reads blocks on several threads.
//!
//! Each thread takes the next block and parses it into a part of its own. When the blocks before it have been joined to
//! the whole, it is this block's turn, and the thread moves its part to the end of the whole. So the result is that of one
//! thread, and a thread never has more than one block.
//!
//! What is numbered in order of appearance waits for the turn of its block too. That happens once for each name and
//! thread.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::clients::{ByKind, Clients, Kind};
use super::events::Events;
use super::{Lines, Parts, Unusual};
use crate::Value;
use crate::blocks::Blocks;
use crate::raw::Names;

/// More threads would wait for each other.
pub(super) const MOST_THREADS: usize = 16;

/// Which block is to be joined next, and what depends on that.
pub(super) struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    next: usize,
    /// The number of the first line of that block.
    line: u32,
    /// Processes and objects in order of appearance.
    names: ByKind<Names>,
    /// The events of the whole.
    events: Events,
    /// A line is unusual, or a thread panicked: nothing will be joined any more.
    failed: bool,
}

impl Turns {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Waits for the turn of a block. `None`: reading has failed.
    fn wait(&self, block: usize) -> Option<MutexGuard<'_, State>> {
        let is_early = |state: &mut State| state.next != block && !state.failed;
        let state = self.changed.wait_while(self.lock(), is_early);
        Some(state.unwrap_or_else(PoisonError::into_inner)).filter(|state| !state.failed)
    }

    /// The number of a process or an object that appears in a block.
    pub(super) fn number(&self, block: usize, kind: Kind, name: &Value) -> Option<u32> {
        self.wait(block)?.names.of(kind).number(name.clone()).ok()
    }

    /// Joins a part to the whole when it is the turn of its block, which has this many lines.
    fn join(
        &self,
        (block, lines): (usize, u32),
        events: &mut Events,
        (part, parts): (usize, &dyn Parts),
    ) -> Option<()> {
        let mut state = self.wait(block)?;
        let line = state.line;
        state.line = line.checked_add(lines)?;
        parts.join(part, line, state.events.count()).then_some(())?;
        let mut joined = None;
        parts.fill(0, &mut |whole| joined = state.events.join(events.take_part(), whole));
        joined?;
        state.next += 1;
        drop(state);
        self.changed.notify_all();
        Some(())
    }

    fn fail(&self) {
        self.lock().failed = true;
        self.changed.notify_all();
    }
}

/// What the threads share.
struct Reading<'a, 'r> {
    /// With the number of the next block.
    blocks: Mutex<(Blocks<'r>, usize)>,
    turns: Turns,
    parts: &'a dyn Parts,
}

/// Reads all blocks. The first line has the number `line`; part 1 is that of the first thread.
pub(super) fn read(
    blocks: Blocks<'_>,
    (line, lines): (u32, &dyn Lines),
    clients: &mut Clients<'_>,
    (threads, parts): (usize, &dyn Parts),
) -> Result<(), Unusual> {
    let state = State {
        next: 0,
        line,
        names: clients.names.clone(),
        events: std::mem::take(&mut clients.events),
        failed: false,
    };
    let turns = Turns { state: Mutex::new(state), changed: Condvar::new() };
    let reading = Reading { blocks: Mutex::new((blocks, 0)), turns, parts };
    let numbers = std::thread::scope(|scope| {
        let (reading, clients) = (&reading, &*clients);
        // PERF: each thread allocates what it changes, so that no cache line belongs to two.
        let work = |part: usize| {
            move || {
                let (mut lines, mut clients) = (lines.another(), clients.for_thread());
                reading.work(part, &mut *lines, &mut clients);
                clients.into_numbers()
            }
        };
        let others: Vec<_> = (2..=threads).map(|part| scope.spawn(work(part))).collect();
        let mut numbers = work(1)();
        for thread in others {
            match thread.join() {
                Ok(more) => numbers.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        numbers
    });
    let State { names, events, failed, .. } =
        reading.turns.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    (clients.names, clients.events) = (names, events);
    clients.add_numbers(numbers);
    if failed { Err(Unusual) } else { Ok(()) }
}

impl Reading<'_, '_> {
    /// Reads blocks into a part, until there are no more or reading has failed.
    fn work<'t>(&'t self, part: usize, lines: &mut dyn Lines, clients: &mut Clients<'t>) {
        let _fails = FailsOnPanic(&self.turns);
        let mut spare = Vec::new();
        loop {
            let (block, number) = {
                let (blocks, next) = &mut *lock(&self.blocks);
                match blocks.take(std::mem::take(&mut spare)) {
                    Ok(Some(block)) => {
                        *next += 1;
                        (block, *next - 1)
                    }
                    Ok(None) => return,
                    Err(_) => return self.turns.fail(),
                }
            };
            clients.reads = Some((&self.turns, number));
            let (mut count, mut read) = (0, Err(Unusual));
            self.parts.fill(part, &mut |part| {
                read = lines.read(block.block(), 0, &mut count, clients, part);
            });
            let part = (part, self.parts);
            if read.is_err()
                || self.turns.join((number, count), &mut clients.events, part).is_none()
            {
                return self.turns.fail();
            }
            spare = block.into_spare();
        }
    }
}

/// Lets the other threads go if this one panics.
struct FailsOnPanic<'a>(&'a Turns);

impl Drop for FailsOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
