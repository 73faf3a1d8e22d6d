//! The processes and objects of plain lines, and their numbers.

use std::collections::BTreeMap;

use super::Unusual;
use super::events::Events;
use super::parallel::Turns;
use crate::Value;
use crate::raw::{Clock, Names, RawHistory};

/// Numbers for processes and objects, the same that a [`RawBuilder`](crate::raw::RawBuilder) assigns: objects are
/// numbered in order of appearance; processes have their own numbers if all are numbers, and otherwise are numbered in
/// order of appearance. A mixture is left to the builder.
#[derive(Default)]
pub(crate) struct Clients<'t> {
    /// The numbers below [`Clients::SMALL`] that have occurred.
    small: Vec<bool>,
    /// All processes that are numbers.
    numbers: BTreeMap<u32, Value>,
    /// The other processes, and the objects.
    pub(super) names: ByKind<Names>,
    /// Their events.
    pub(crate) events: Events,
    /// Where several threads read: the block that this one reads. What appears first is known when it is this block's turn.
    pub(super) reads: Option<(&'t Turns, usize)>,
}

/// What has a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Process,
    Object,
}

/// One for each kind.
#[derive(Clone, Default)]
pub(super) struct ByKind<T>([T; 2]);

impl<T> ByKind<T> {
    pub(super) fn of(&mut self, kind: Kind) -> &mut T {
        &mut self.0[kind as usize]
    }
}

impl<'t> Clients<'t> {
    /// Numbers below this are looked up in a table.
    const SMALL: usize = 1 << 12;

    /// The number of a process. `None`: this is left to the reader of the format.
    #[inline]
    pub(crate) fn process(&mut self, process: Value) -> Option<u32> {
        let own = process.as_int().and_then(|number| u32::try_from(number).ok());
        let Some(own) = own else { return self.name(Kind::Process, process) };
        if self.small.get(own as usize) != Some(&true) {
            self.meet(own);
        }
        Some(own)
    }

    /// The number of an object.
    pub(crate) fn object(&mut self, object: Value) -> Option<u32> {
        self.name(Kind::Object, object)
    }

    #[cold]
    fn meet(&mut self, own: u32) {
        if (own as usize) < Clients::SMALL {
            self.small.resize(Clients::SMALL, false);
            self.small[own as usize] = true;
        }
        self.numbers.insert(own, Value::Int(own.into()));
    }

    fn name(&mut self, kind: Kind, name: Value) -> Option<u32> {
        let known = self.names.of(kind);
        let Some((turns, block)) = self.reads else { return known.number(name).ok() };
        if let Some(number) = known.known(&name) {
            return Some(number);
        }
        let number = turns.number(block, kind, &name)?;
        known.remember(name, number);
        Some(number)
    }

    /// The same processes and objects, for a thread that reads blocks.
    pub(super) fn for_thread<'a>(&self) -> Clients<'a> {
        let (small, names) = (self.small.clone(), self.names.clone());
        Clients { small, names, events: Events::of_part(), ..Clients::default() }
    }

    /// The processes that are numbers and were not there before.
    pub(super) fn into_numbers(self) -> BTreeMap<u32, Value> {
        self.numbers
    }

    /// Adds processes that are numbers.
    pub(super) fn add_numbers(&mut self, numbers: BTreeMap<u32, Value>) {
        self.numbers.extend(numbers);
    }

    /// Adds all to a history. Unusual: some processes are numbers, and others are not; or some lines are events, and
    /// others are not.
    pub(super) fn finish(mut self, history: &mut RawHistory) -> Result<(), Unusual> {
        if self.events.is_mixed() {
            return Err(Unusual);
        }
        if self.events.has_times() {
            history.clock = Clock::Whole;
        }
        history.objects = std::mem::take(self.names.of(Kind::Object)).into_list();
        let others = std::mem::take(self.names.of(Kind::Process)).into_list();
        history.processes = match (self.numbers.is_empty(), others.is_empty()) {
            (true, _) => (0..).zip(others).collect(),
            (false, true) => self.numbers,
            (false, false) => return Err(Unusual),
        };
        Ok(())
    }
}
