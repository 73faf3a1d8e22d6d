//! Asks the monitor of whole histories about the window of a stream.
//!
//! The window is a history in which open operations are pending. The monitor's order becomes the new
//! explanation: it shows which elements the pending removals removed, and those are promised. The
//! deadline of a promise is the first end of all operations that come later in the order: a removal
//! that was called before that can take its place.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use crate::monitor::{Columns, Effort, Kind, NONE, Peaks, Refusal, order_of_container};
use crate::spec::Shape;

use super::window::{Id, NEVER, Stage, Times, Window};

/// An operation of the window.
#[derive(Clone, Copy, Debug)]
struct Row {
    kind: Kind,
    /// The index of the element in [`History::ids`], or [`NONE`].
    element: u32,
    times: Times,
}

/// The window as a history.
#[derive(Default)]
pub(super) struct History {
    rows: Vec<Row>,
    ids: Vec<Id>,
    /// Where each element is in the list.
    places: FxHashMap<Id, u32>,
    /// For a priority queue, the priority of each element.
    classes: Vec<u32>,
    /// An operation ended before it was called: what was forgotten leaves it no time.
    is_contradictory: bool,
}

/// An operation that is about to end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extra {
    None,
    Empty(Times),
    Remove(Id, Times),
    Peek(Id, Times),
}

impl Extra {
    /// The element that it saw.
    pub(super) fn id(&self) -> Option<Id> {
        match self {
            Extra::Remove(id, _) | Extra::Peek(id, _) => Some(*id),
            Extra::None | Extra::Empty(_) => None,
        }
    }

    /// The element that it saw, if that is in no list of elements that were seen.
    pub(super) fn unlisted(&self, w: &Window) -> Option<Id> {
        self.id().filter(|id| matches!(w.get(*id).stage, Stage::Unseen | Stage::Present))
    }
}

/// An explanation of the window.
#[derive(Default)]
pub(super) struct Fit {
    /// Elements that open removals have removed, with deadlines.
    pub(super) promised: Vec<(Id, u64)>,
    /// Elements that were removed, with the time up to which a peek that returns them can be called.
    pub(super) removed: Vec<(Id, u64)>,
    /// Elements that are present: in a queue, front first; in a stack, top last.
    pub(super) present: Vec<Id>,
    /// For a stack: when elements that were removed, promised or peeked at were pushed at the latest, and when
    /// they were seen last at the earliest.
    pub(super) spans: Vec<(Id, (u64, u64))>,
    /// For a stack: when it was empty last, at the earliest.
    pub(super) empty_at: u64,
}

impl History {
    /// The operations that name no element.
    pub(super) fn new(w: &Window) -> History {
        let is_contradictory = w.empties.iter().any(|times| times.end < times.call);
        let mut history = History { is_contradictory, ..History::default() };
        history.rows.extend(w.empties.iter().map(|times| anonymous(Kind::Empty, *times)));
        let takes = w.takes.iter().map(|call| Times { call: *call, end: NEVER });
        history.rows.extend(takes.map(|times| anonymous(Kind::Take, times)));
        history
    }

    /// Adds an element with its add, its removal, its first and last peek, and those that were forgotten.
    pub(super) fn element(&mut self, w: &Window, id: Id) {
        self.element_without_peeks(w, id);
        if let Some(old) = w.get(id).old_peek {
            self.named(Kind::Peek, old);
        }
        if let Some([first, late]) = w.get(id).peeks {
            self.named(Kind::Peek, first);
            if first != late {
                self.named(Kind::Peek, late);
            }
        }
    }

    /// Adds an element with its add and removal.
    pub(super) fn element_without_peeks(&mut self, w: &Window, id: Id) {
        let element = w.get(id);
        self.places.insert(id, self.ids.len() as u32);
        self.ids.push(id);
        self.named(Kind::Add, Times { call: element.call, end: element.end });
        if let Some(times) = element.removal {
            self.named(Kind::Remove, times);
        }
    }

    /// Sets the priorities of the elements. The greater one comes out first.
    pub(super) fn rank(&mut self, compare: impl Fn(Id, Id) -> Ordering) {
        let mut sorted: Vec<u32> = (0..self.ids.len() as u32).collect();
        let id = |element: u32| self.ids[element as usize];
        sorted.sort_by(|a, b| compare(id(*a), id(*b)));
        let mut classes = vec![0; self.ids.len()];
        for pair in sorted.windows(2) {
            let differ = compare(id(pair[0]), id(pair[1])).is_ne();
            classes[pair[1] as usize] = classes[pair[0] as usize] + u32::from(differ);
        }
        self.classes = classes;
    }

    /// Adds a peek of an element that is in the history.
    pub(super) fn peek(&mut self, id: Id, times: Times) {
        self.of(id, Kind::Peek, times);
    }

    /// Adds an operation of the last element.
    fn named(&mut self, kind: Kind, times: Times) {
        self.is_contradictory |= times.end < times.call;
        self.rows.push(Row { kind, element: self.ids.len() as u32 - 1, times });
    }

    /// Adds an operation of an element that is in the history.
    fn of(&mut self, id: Id, kind: Kind, times: Times) {
        if let Some(&element) = self.places.get(&id) {
            self.is_contradictory |= times.end < times.call;
            self.rows.push(Row { kind, element, times });
        }
    }

    /// Adds an operation that is about to end, and is no longer pending.
    pub(super) fn extra(&mut self, extra: &Extra) {
        let times = match *extra {
            Extra::None => return,
            Extra::Empty(times) | Extra::Remove(_, times) | Extra::Peek(_, times) => times,
        };
        self.rows.retain(|row| !(row.kind == Kind::Take && row.times.call == times.call));
        match *extra {
            Extra::Remove(id, _) => self.of(id, Kind::Remove, times),
            Extra::Peek(id, _) => self.of(id, Kind::Peek, times),
            _ => self.rows.push(anonymous(Kind::Empty, times)),
        }
    }

    /// The number of operations.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The elements.
    pub(super) fn ids(&self) -> &[Id] {
        &self.ids
    }

    /// Lets the element stay up to this time: no open removal has removed it before.
    pub(super) fn keep(&mut self, id: Id, until: u64) {
        self.of(id, Kind::Remove, Times { call: until, end: NEVER });
    }

    /// An explanation, if there is one.
    pub(super) fn solve(
        &self,
        shape: Shape,
        effort: &mut Effort<'_>,
    ) -> Result<Option<Fit>, Refusal> {
        if self.is_contradictory {
            return Ok(None);
        }
        let columns = self.columns();
        let Some(order) = order_of_container(shape, &columns, effort)? else { return Ok(None) };
        Ok(Some(self.fit(shape, &order)))
    }

    fn columns(&self) -> Columns {
        let mut events: Vec<(u64, u32, bool)> = Vec::with_capacity(2 * self.rows.len());
        for (row, Row { times, .. }) in self.rows.iter().enumerate() {
            events.push((times.call, row as u32, false));
            if times.end != NEVER {
                events.push((times.end, row as u32, true));
            }
        }
        events.sort_unstable();
        let mut left = vec![0; self.rows.len()];
        let mut right = vec![Peaks::NEVER; self.rows.len()];
        let (mut peak, mut after_return) = (0, false);
        for (_, row, is_return) in events {
            if is_return {
                right[row as usize] = peak;
            } else {
                peak += u32::from(after_return);
                left[row as usize] = peak;
            }
            after_return = is_return;
        }
        Columns {
            kinds: self.rows.iter().map(|row| row.kind).collect(),
            values: self.rows.iter().map(|row| row.element).collect(),
            value_count: self.ids.len(),
            priority_class: self.classes.clone(),
            initial: NONE,
            left,
            right,
            peaks: peak + 1,
            ..Columns::default()
        }
    }

    /// Replays the order.
    fn fit(&self, shape: Shape, order: &[u32]) -> Fit {
        let mut fit = Fit::default();
        // The first end of all later operations.
        let mut deadlines = vec![NEVER; order.len()];
        let mut deadline = NEVER;
        for (at, row) in order.iter().enumerate().rev() {
            deadlines[at] = deadline;
            deadline = deadline.min(self.rows[*row as usize].times.end);
        }
        // The last observation of each element.
        let mut last = vec![0; self.ids.len()];
        let mut is_removed = vec![false; self.ids.len()];
        for (at, row) in order.iter().enumerate() {
            let Row { kind, element, .. } = self.rows[*row as usize];
            if matches!(kind, Kind::Peek | Kind::Remove) {
                last[element as usize] = at;
                is_removed[element as usize] |= kind == Kind::Remove;
            }
        }
        let mut present: Vec<u32> = Vec::new();
        // When each element was added at the latest, and seen last at the earliest. Pending removals
        // begin at their deadlines.
        let mut spans = vec![(0, None); self.ids.len()];
        let mut earliest = 0;
        for (at, row) in order.iter().enumerate() {
            let Row { kind, element, times } = self.rows[*row as usize];
            let is_promise = kind == Kind::Take && deadlines[at] != NEVER;
            earliest = earliest.max(if is_promise { deadlines[at] } else { times.call });
            match kind {
                Kind::Peek | Kind::Remove => spans[element as usize].1 = Some(earliest),
                Kind::Empty => fit.empty_at = earliest,
                _ => {}
            }
            match kind {
                Kind::Add => {
                    present.push(element);
                    spans[element as usize].0 = times.end.min(deadlines[at]);
                }
                // It stays to the end.
                Kind::Remove if times.end == NEVER => {}
                Kind::Remove => {
                    // In a stack it is the last.
                    if let Some(at) = present.iter().rposition(|other| *other == element) {
                        present.remove(at);
                    }
                    let until = match shape {
                        Shape::Stack => earliest,
                        _ => deadlines[at].min(times.end),
                    };
                    fit.removed.push((self.ids[element as usize], until));
                }
                // Nothing happened later, so it need not have happened.
                Kind::Take if deadlines[at] == NEVER => {}
                Kind::Take => {
                    // Of elements with the same priority, one that nothing sees later.
                    let is_free = |e: &u32| !is_removed[*e as usize] && last[*e as usize] < at;
                    let class = |e: &u32| self.classes[*e as usize];
                    let taken = match shape {
                        Shape::Queue => present.iter().position(|_| true),
                        Shape::Stack => present.len().checked_sub(1),
                        _ => {
                            let top = present.iter().map(class).max();
                            present.iter().position(|e| Some(class(e)) == top && is_free(e))
                        }
                    };
                    if let Some(taken) = taken {
                        let taken = present.remove(taken);
                        spans[taken as usize].1 = Some(deadlines[at]);
                        fit.promised.push((self.ids[taken as usize], deadlines[at]));
                    }
                }
                _ => {}
            }
        }
        let spans = self.ids.iter().zip(spans);
        fit.spans =
            spans.filter_map(|(id, (from, to))| Some((*id, (from, to?.max(from))))).collect();
        fit.present = present.into_iter().map(|element| self.ids[element as usize]).collect();
        fit
    }
}

fn anonymous(kind: Kind, times: Times) -> Row {
    Row { kind, element: NONE, times }
}
