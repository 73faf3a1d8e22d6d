//! Local arguments: a few operations that contradict each other in a way that people know by a name.

use super::ReasonKind;
use crate::history::OpId;

/// Why there is no linearization, as a statement about a few operations.
///
/// Each variant states facts that can be read off the history, and no order of any operations explains them. "Before"
/// means in real time: one operation returned before the other was called.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Argument {
    /// `reader` found a value that was gone: `gone`, which found or left something else, came before `reader`, and the value
    /// was not written again in between.
    Stale {
        /// Found the value.
        reader: OpId,
        /// Found or left another one.
        gone: OpId,
        /// When the value was last there.
        last: Last,
        /// All writes of the value that were called before `reader` returned.
        writers: Vec<OpId>,
    },
    /// `reader` found an element that had been removed as often as it had been added.
    Removed {
        /// Found the element.
        reader: OpId,
        /// The last one that removed it before `reader` was called.
        taker: OpId,
        /// All adds of the element that were called before `reader` returned.
        adders: Vec<OpId>,
    },
    /// `reader` found what no operation of the history wrote or added, and what was not there initially.
    Phantom {
        /// Found it.
        reader: OpId,
    },
    /// `reader` had returned before what it found was first written or added.
    Future {
        /// Found it.
        reader: OpId,
        /// The first that wrote or added it.
        writer: OpId,
        /// How many did, in the whole history.
        writers: usize,
    },
    /// `reader` did not find what was there all the time: `added` put it there, or found it there, before `reader` was
    /// called, and nothing took it away until `reader` returned.
    Missing {
        /// Did not find it.
        reader: OpId,
        /// Put it there or found it; `None` if it was there initially.
        added: Option<OpId>,
    },
    /// `reader` found a text in which `second`, which was appended after `first`, stands before it.
    Swapped {
        /// Found the text.
        reader: OpId,
        /// Was appended first.
        first: OpId,
        /// Was appended second.
        second: OpId,
    },
    /// The takers all took the same thing, and there is one of them more than adders. Without adders: the thing was there
    /// once from the beginning, or it is a number that is handed out once.
    Twice {
        /// Took it.
        takers: Vec<OpId>,
        /// Put it there.
        adders: Vec<OpId>,
    },
    /// `taker` took or saw an element while it was the turn of another one.
    OutOfOrder {
        /// Whose turn it is.
        rule: Rule,
        /// The add of the element whose turn it was. It was in the container until `taker` returned.
        waiting: OpId,
        /// The add of the element that was taken.
        added: OpId,
        /// Took it.
        taker: OpId,
    },
    /// `reader` found no element, but there was one all the time.
    NotEmpty {
        /// Found none.
        reader: OpId,
        /// The adds of the elements.
        adders: Vec<OpId>,
        /// False if each of the elements was there all the time. True if they relieved each other: before one of them was
        /// removed, the next had been added.
        relay: bool,
    },
    /// A flag (an element of a set, a lock) was not as an operation found it.
    Flag(FlagFact),
    /// `reader` found a number outside of what any order gives.
    Total {
        /// Found the number.
        reader: OpId,
        /// The count starts with what this operation found or left; with the initial number if there is none.
        anchor: Option<OpId>,
        /// What `reader` found.
        found: i128,
        /// The smallest possible number.
        least: i128,
        /// The largest possible number.
        most: i128,
    },
    /// An operation acquired a permit when there was none, or found none when there was one.
    Permits {
        /// The operation.
        reader: OpId,
        /// For one that acquired a permit: the largest number that can have been free, not above 0. For one that found
        /// none: the smallest, above 0.
        free: i128,
    },
    /// An operation found a container full that had room, or added to one that was full.
    Room {
        /// The operation.
        reader: OpId,
        /// How many elements there can be.
        capacity: i128,
        /// For one that found it full: the largest number of elements that there can have been. For one that added: the
        /// smallest.
        elements: i128,
    },
    /// Each of two scans saw something newer than the other.
    Crossed {
        /// The scans.
        scans: [OpId; 2],
        /// The segment in which the first is newer, and the one in which the second is.
        segments: [u32; 2],
        /// The updates that the one has seen and the other not.
        updates: [OpId; 2],
    },
}

/// When a value was last there, see [`Argument::Stale`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Last {
    /// It was the initial value, and nothing has written it since.
    Initial,
    /// All writes of it had returned before `gone` was called. This is the one that returned last.
    Write(OpId),
    /// It was written once, and this operation had found it before `gone` was called.
    Seen(OpId),
}

/// Which element a container gives out first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// The one that was added first.
    FirstIn,
    /// The one that was added last.
    LastIn,
    /// The one with the highest priority.
    Priority,
    /// The one at the front.
    Front,
    /// The one at the back.
    Back,
}

/// What [`Argument::Flag`] states: between `anchor` and `reader`, the flag can have been changed `towards` times at most to
/// what `reader` found, and was changed back `back` times at least, which is not less. Without an anchor, a flag that was found
/// down had been raised `back` times at least, and lowered `towards` times at most, which is less.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlagFact {
    /// Found the flag up, or down.
    pub reader: OpId,
    /// Left or found the flag in the other state, before `reader`; `None` for the beginning, when it was down.
    pub anchor: Option<OpId>,
    /// Acquired the lock before `reader`, and its process did not call for its release until `reader` returned.
    pub holder: Option<OpId>,
    /// What `reader` found.
    pub found_up: bool,
    /// True if `reader` changed the flag.
    pub changes: bool,
    /// True if there is a flag for each key: elements of a set. Otherwise it is a lock.
    pub keyed: bool,
    /// See above.
    pub towards: usize,
    /// See above.
    pub back: usize,
}

impl Argument {
    /// The operations that the sentence names, at most a few.
    pub fn named(&self) -> Vec<OpId> {
        const MOST: usize = 3;
        let mut ops: Vec<OpId> = match self {
            Argument::Stale { reader, gone, last, .. } => match last {
                Last::Initial => vec![*reader, *gone],
                Last::Write(op) | Last::Seen(op) => vec![*reader, *gone, *op],
            },
            Argument::Removed { reader, taker, .. } => vec![*reader, *taker],
            Argument::Phantom { reader }
            | Argument::Permits { reader, .. }
            | Argument::Room { reader, .. } => vec![*reader],
            Argument::Future { reader, writer, .. } => vec![*reader, *writer],
            Argument::Missing { reader, added } => std::iter::once(*reader).chain(*added).collect(),
            Argument::Swapped { reader, first, second } => vec![*reader, *first, *second],
            Argument::Twice { takers, adders } => match (&takers[..], &adders[..]) {
                ([a, b], [adder]) => vec![*a, *b, *adder],
                _ => takers.iter().copied().take(MOST).collect(),
            },
            Argument::OutOfOrder { waiting, added, taker, .. } => vec![*taker, *waiting, *added],
            Argument::NotEmpty { reader, adders, .. } => {
                std::iter::once(*reader).chain(adders.iter().copied().take(MOST)).collect()
            }
            Argument::Flag(fact) => {
                std::iter::once(fact.reader).chain(fact.anchor).chain(fact.holder).collect()
            }
            Argument::Total { reader, anchor, .. } => {
                std::iter::once(*reader).chain(*anchor).collect()
            }
            Argument::Crossed { scans, updates, .. } => {
                scans.iter().chain(updates).copied().collect()
            }
        };
        let mut seen = Vec::new();
        ops.retain(|op| {
            !seen.contains(op) && {
                seen.push(*op);
                true
            }
        });
        ops
    }

    /// The kind of the argument.
    pub fn kind(&self) -> ReasonKind {
        match self {
            Argument::Stale { .. } | Argument::Removed { .. } => ReasonKind::Stale,
            Argument::Phantom { .. } => ReasonKind::Phantom,
            Argument::Future { .. } => ReasonKind::Future,
            Argument::Missing { .. } => ReasonKind::Missing,
            Argument::Twice { .. } => ReasonKind::Twice,
            Argument::OutOfOrder { .. } | Argument::Swapped { .. } => ReasonKind::OutOfOrder,
            Argument::NotEmpty { .. } => ReasonKind::NotEmpty,
            Argument::Flag(fact) => match (fact.found_up, fact.changes, fact.keyed) {
                (true, false, _) => ReasonKind::Stale,
                (false, false, _) => ReasonKind::Missing,
                (false, true, false) => ReasonKind::Overlap,
                (_, true, _) => ReasonKind::Twice,
            },
            Argument::Total { .. } | Argument::Permits { .. } | Argument::Room { .. } => {
                ReasonKind::Total
            }
            Argument::Crossed { .. } => ReasonKind::Crossed,
        }
    }

    /// The same argument with renumbered operations.
    pub(crate) fn renumbered(mut self, number: &dyn Fn(OpId) -> OpId) -> Argument {
        let each = |op: &mut OpId| *op = number(*op);
        match &mut self {
            Argument::Stale { reader, gone, last, writers } => {
                [reader, gone].into_iter().chain(writers).for_each(each);
                match last {
                    Last::Initial => {}
                    Last::Write(op) | Last::Seen(op) => *op = number(*op),
                }
            }
            Argument::Removed { reader, taker, adders } => {
                [reader, taker].into_iter().chain(adders).for_each(each);
            }
            Argument::Phantom { reader }
            | Argument::Permits { reader, .. }
            | Argument::Room { reader, .. } => *reader = number(*reader),
            Argument::Future { reader, writer, .. } => {
                [reader, writer].into_iter().for_each(each);
            }
            Argument::Missing { reader, added } => {
                std::iter::once(reader).chain(added).for_each(each);
            }
            Argument::Swapped { reader, first, second } => {
                [reader, first, second].into_iter().for_each(each);
            }
            Argument::Twice { takers, adders } => takers.iter_mut().chain(adders).for_each(each),
            Argument::OutOfOrder { waiting, added, taker, .. } => {
                [waiting, added, taker].into_iter().for_each(each);
            }
            Argument::NotEmpty { reader, adders, .. } => {
                std::iter::once(reader).chain(adders).for_each(each);
            }
            Argument::Flag(fact) => {
                let others = fact.anchor.iter_mut().chain(&mut fact.holder);
                std::iter::once(&mut fact.reader).chain(others).for_each(each);
            }
            Argument::Total { reader, anchor, .. } => {
                std::iter::once(reader).chain(anchor).for_each(each);
            }
            Argument::Crossed { scans, updates, .. } => {
                scans.iter_mut().chain(updates).for_each(each);
            }
        }
        self
    }
}
