//! The claims that are about sequences: the shape and the replay, compared with the relation.
//!
//! A tiny object of each [`Shape`] that knows names only performs the roles of the operations, side by
//! side with the relation. Whatever one of them allows, the other must allow too.

use std::cmp::Ordering;
use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::{MAX_OPS, Tester};
use crate::spec::{Name, Role, Shape, Slot};
use crate::subject::{Call, Place, RetId, StateId, Subject};

/// An operation of a sequence.
#[derive(Clone, Copy)]
struct Item {
    call: Call,
    pending: bool,
}

impl Tester<'_> {
    /// One random sequence, legal or not, and the claims about it.
    pub(super) fn sequences(&mut self) -> Result<(), String> {
        let items = self.sequence()?;
        self.replay(&items)?;
        self.shape(&items)
    }

    /// A sequential run in which some results are wrong, unknown, or missing for good.
    fn sequence(&mut self) -> Result<Vec<Item>, String> {
        let mut state = self.initial;
        let mut items = Vec::new();
        let length = 1 + self.random.index(2 * MAX_OPS);
        let spoil_one_in = 2 + self.random.index(12);
        for _ in 0..length {
            let op = self.any_op();
            let Some((mut ret, after)) = self.step(state, op)? else { continue };
            state = after;
            let mut pending = false;
            if self.random.index(spoil_one_in) == 0 {
                let choice = self.random.index(4);
                pending = choice == 0;
                if choice < 2 {
                    ret = RetId::UNKNOWN;
                } else {
                    ret = self.another_result(op).unwrap_or(ret);
                }
            }
            items.push(Item { call: Call { op, ret }, pending });
        }
        Ok(items)
    }

    /// Every state to which one of `states` leads.
    fn all_next(&mut self, states: &[StateId], item: Item) -> Result<Vec<StateId>, String> {
        let mut next: Vec<StateId> = Vec::new();
        for &state in states {
            for after in self.next(state, item.call)? {
                if !next.contains(&after) {
                    next.push(after);
                }
            }
        }
        Ok(next)
    }

    fn replay(&mut self, items: &[Item]) -> Result<(), String> {
        let mut run = items.chunks(2).map(|block| block.iter().map(|item| item.call).collect());
        let Some(replayed) = self.subject.replay(&mut run) else { return Ok(()) };
        let (mut states, mut expected) = (vec![self.initial], Ok(()));
        for (at, item) in items.iter().enumerate() {
            states = self.all_next(&states, *item)?;
            if states.is_empty() {
                expected = Err(at);
                break;
            }
        }
        if replayed == expected {
            return Ok(());
        }
        let said = |result: Result<(), usize>| match result {
            Ok(()) => "legal".to_owned(),
            Err(at) => format!("illegal at position {at}"),
        };
        Err(format!(
            "replay: {} is {}, not {}",
            self.show_sequence(items),
            said(expected),
            said(replayed)
        ))
    }

    fn shape(&mut self, items: &[Item]) -> Result<(), String> {
        let subject = self.subject;
        let Some(mut object) = Reference::new(subject, items) else { return Ok(()) };
        let mut states = vec![self.initial];
        for (at, item) in items.iter().enumerate() {
            let mut role = subject.role(item.call, item.pending);
            // It may have done nothing.
            let is_unclear = matches!(role, Role::Foreign(_));
            if is_unclear {
                if item.call.ret != RetId::UNKNOWN || !subject.is_complete() {
                    return Ok(());
                }
                role = subject.role(item.call.without_result(), true);
                if role == Role::Idle {
                    return Ok(());
                }
            }
            let Ok(allowed) = object.perform(at, role) else { return Ok(()) };
            let next = self.all_next(&states, *item)?;
            let wrong = if is_unclear {
                if allowed { next.is_empty() } else { next != states }
            } else if item.pending {
                // It may do nothing, and does not where the shape says that it cannot take effect.
                let idle = !allowed || role == Role::Idle;
                let stays = next.is_empty() || next == states;
                (idle && !stays) || (!idle && next.is_empty())
            } else {
                allowed == next.is_empty()
            };
            if wrong {
                return Err(format!(
                    "shaped: {:?} is {} for {:?} after {}",
                    self.name(item.call) + if item.pending { " (pending)" } else { "" },
                    if allowed { "allowed" } else { "not allowed" },
                    subject.shape(),
                    self.show_sequence(&items[..at]),
                ));
            }
            if !next.is_empty() {
                states = next;
            } else if !item.pending {
                return Ok(());
            }
        }
        Ok(())
    }

    /// A complete shape has all operations, with all results that they had.
    pub(super) fn completeness(&self) -> Result<(), String> {
        if !self.subject.is_complete() {
            return Ok(());
        }
        for call in self.ops().flat_map(|op| self.calls(op)) {
            if let Role::Foreign(reason) = self.subject.role(call, call.ret == RetId::UNKNOWN) {
                return Err(format!(
                    "is_complete: {} is no operation of {:?}: {reason}",
                    self.name(call),
                    self.subject.shape(),
                ));
            }
        }
        Ok(())
    }

    /// Operations with different keys must have nothing in common.
    pub(super) fn keys(&self) -> Result<(), String> {
        let subject = self.subject;
        for x in self.ops() {
            for y in self.ops() {
                let (Some(a), Some(b)) = (subject.key(x), subject.key(y)) else { continue };
                let apart = super::disjoint(&subject.footprint(x), &subject.footprint(y));
                if a != b && !apart {
                    return Err(format!(
                        "shaped: {} and {} have different keys and share a footprint",
                        subject.describe_op(x),
                        subject.describe_op(y),
                    ));
                }
            }
        }
        Ok(())
    }

    fn show_sequence(&self, items: &[Item]) -> String {
        let show = |item: &Item| {
            let pending = if item.pending { " (pending)" } else { "" };
            self.name(item.call) + pending
        };
        let all: Vec<String> = items.iter().map(show).collect();
        if all.is_empty() { "the start".into() } else { all.join("; ") }
    }
}

/// A value: the initial one, or one that a place of the sequence mentions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    Initial,
    Named(Name),
}

/// The sequence cannot be followed: two different values share a name, which the monitors refuse, or
/// it is not known which of several elements was taken.
struct Unclear;

/// What the objects of the shapes hold. Values are names; names of keys and values are apart.
struct Reference<'a> {
    subject: &'a dyn Subject,
    shape: Shape,
    items: &'a [Item],
    /// Where each name was met first. True: the name of a key.
    met: FxHashMap<(bool, Name), (usize, Slot)>,
    /// Queue and deque (front first), stack (bottom first), priority queue: elements and who added them.
    elements: VecDeque<(Name, usize)>,
    /// Flags and registers, by key.
    flags: FxHashMap<Option<Name>, bool>,
    registers: FxHashMap<Option<Name>, Known>,
    segments: Vec<Known>,
    number: i64,
    permits: u64,
}

impl<'a> Reference<'a> {
    fn new(subject: &'a dyn Subject, items: &'a [Item]) -> Option<Self> {
        let shape = subject.shape();
        let mut object = Reference {
            subject,
            shape,
            items,
            met: FxHashMap::default(),
            elements: VecDeque::new(),
            flags: FxHashMap::default(),
            registers: FxHashMap::default(),
            segments: Vec::new(),
            number: 0,
            permits: 0,
        };
        match shape {
            Shape::Opaque => return None,
            Shape::Counter { initial } => object.number = initial,
            Shape::Semaphore { initial } => object.permits = initial,
            Shape::Snapshot { segments, .. } => object.segments = vec![Known::Initial; segments],
            _ => {}
        }
        Some(object)
    }

    fn place(&self, at: usize, slot: Slot) -> Place {
        Place { call: self.items[at].call, slot }
    }

    /// Notes where a name is met, and makes sure that it means what it meant before.
    fn meet(&mut self, at: usize, slot: Slot, name: Name) -> Result<(), Unclear> {
        let key = (slot == Slot::Key, name);
        let &mut (first, other) = self.met.entry(key).or_insert((at, slot));
        let same = self.subject.same_name(self.place(first, other), self.place(at, slot));
        if same { Ok(()) } else { Err(Unclear) }
    }

    /// The value that a register or segment holds where this name is found.
    fn known(&mut self, at: usize, slot: Slot, name: Name) -> Result<Known, Unclear> {
        self.meet(at, slot, name)?;
        let initial = match self.shape {
            Shape::Registers { initial } | Shape::Snapshot { initial, .. } => Some(initial),
            _ => None,
        };
        let is_initial = initial == Some(name) && self.subject.is_initial(self.place(at, slot));
        Ok(if is_initial { Known::Initial } else { Known::Named(name) })
    }

    /// Performs an operation, if it is allowed.
    fn perform(&mut self, at: usize, role: Role) -> Result<bool, Unclear> {
        match self.shape {
            _ if role == Role::Idle => Ok(true),
            Shape::Queue
            | Shape::BoundedQueue { .. }
            | Shape::Stack
            | Shape::PriorityQueue
            | Shape::Bag => self.container(at, role),
            Shape::Deque => self.deque(at, role),
            Shape::Flags => self.flag(at, role),
            Shape::Registers { .. } => self.register(at, role),
            Shape::Snapshot { .. } => self.snapshot(at, role),
            Shape::Counter { .. } => Ok(self.count(role)),
            Shape::Semaphore { .. } => Ok(self.permit(role)),
            Shape::Opaque => Ok(false),
        }
    }

    /// The positions of the elements whose turn it is.
    fn turn(&self) -> Vec<usize> {
        let last = self.elements.len().checked_sub(1);
        match self.shape {
            Shape::Queue | Shape::BoundedQueue { .. } => last.map(|_| 0).into_iter().collect(),
            Shape::Stack => last.into_iter().collect(),
            Shape::Bag => (0..self.elements.len()).collect(),
            _ => {
                let place = |i: usize| self.place(self.elements[i].1, Slot::Value);
                let all = || 0..self.elements.len();
                let greater = |a, b| self.subject.compare(a, b) == Ordering::Greater;
                all().filter(|i| !all().any(|j| greater(place(j), place(*i)))).collect()
            }
        }
    }

    fn container(&mut self, at: usize, role: Role) -> Result<bool, Unclear> {
        if let Role::Add(name) | Role::Remove(name) | Role::Peek(name) = role {
            self.meet(at, Slot::Value, name)?;
        }
        let turn = self.turn();
        let is_full = match self.shape {
            Shape::BoundedQueue { capacity } => self.elements.len() >= capacity,
            _ => false,
        };
        let found = |name: Name| turn.iter().copied().find(|i| self.elements[*i].0 == name);
        Ok(match role {
            Role::Add(_) if is_full => false,
            Role::Full => is_full,
            Role::Add(name) => {
                self.elements.push_back((name, at));
                true
            }
            Role::Peek(name) => found(name).is_some(),
            Role::Empty => turn.is_empty(),
            Role::Remove(name) => found(name).and_then(|i| self.elements.remove(i)).is_some(),
            Role::Take => {
                let mut names = turn.iter().map(|i| self.elements[*i].0);
                let Some(first) = names.next() else { return Ok(true) };
                if names.any(|name| name != first) {
                    return Err(Unclear);
                }
                self.elements.remove(turn[0]);
                true
            }
            _ => false,
        })
    }

    fn deque(&mut self, at: usize, role: Role) -> Result<bool, Unclear> {
        use Role::{Add, AddFront, Peek, PeekFront, Remove, RemoveFront};
        let name = match role {
            Add(name) | Remove(name) | Peek(name) => name,
            AddFront(name) | RemoveFront(name) | PeekFront(name) => name,
            Role::Empty => return Ok(self.elements.is_empty()),
            // Or it finds nothing.
            Role::Take | Role::TakeFront => {
                let from_front = role == Role::TakeFront;
                let _ =
                    if from_front { self.elements.pop_front() } else { self.elements.pop_back() };
                return Ok(true);
            }
            _ => return Ok(false),
        };
        self.meet(at, Slot::Value, name)?;
        let is_at = |end: Option<&(Name, usize)>| end.is_some_and(|(there, _)| *there == name);
        let (front, back) = (is_at(self.elements.front()), is_at(self.elements.back()));
        match role {
            Add(_) => self.elements.push_back((name, at)),
            AddFront(_) => self.elements.push_front((name, at)),
            Remove(_) if back => drop(self.elements.pop_back()),
            RemoveFront(_) if front => drop(self.elements.pop_front()),
            Peek(_) if back => {}
            PeekFront(_) if front => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn key(&mut self, at: usize) -> Result<Option<Name>, Unclear> {
        let key = self.subject.key(self.items[at].call.op);
        key.map_or(Ok(()), |name| self.meet(at, Slot::Key, name))?;
        Ok(key)
    }

    fn flag(&mut self, at: usize, role: Role) -> Result<bool, Unclear> {
        let key = self.key(at)?;
        let flag = self.flags.entry(key).or_default();
        let (was, is) = match role {
            Role::Raise => (false, true),
            Role::Lower => (true, false),
            Role::IsUp => (true, true),
            Role::IsDown => (false, false),
            _ => return Ok(false),
        };
        let allowed = *flag == was;
        if allowed {
            *flag = is;
        }
        Ok(allowed)
    }

    fn register(&mut self, at: usize, role: Role) -> Result<bool, Unclear> {
        let key = self.key(at)?;
        let holds = self.registers.get(&key).copied().unwrap_or(Known::Initial);
        let (from, to) = match role {
            Role::Write(name) => (holds, self.known(at, Slot::Value, name)?),
            Role::Read(name) => {
                let value = self.known(at, Slot::Value, name)?;
                (value, value)
            }
            Role::Other(name) => return Ok(holds != self.known(at, Slot::Source, name)?),
            Role::Replace { from, to } => {
                (self.known(at, Slot::Source, from)?, self.known(at, Slot::Value, to)?)
            }
            _ => return Ok(false),
        };
        if holds == from {
            self.registers.insert(key, to);
        }
        Ok(holds == from)
    }

    fn snapshot(&mut self, at: usize, role: Role) -> Result<bool, Unclear> {
        match role {
            Role::Update { segment, value } => {
                let value = self.known(at, Slot::Value, value)?;
                let Some(segment) = self.segments.get_mut(segment as usize) else {
                    return Ok(false);
                };
                *segment = value;
                Ok(true)
            }
            Role::Scan => {
                let mut names = Vec::new();
                self.subject.view(self.items[at].call.ret, &mut names);
                let mut allowed = names.len() <= self.segments.len();
                for (i, name) in names.into_iter().enumerate() {
                    let Some(name) = name else { continue };
                    let value = self.known(at, Slot::Segment(i as u32), name)?;
                    allowed &= self.segments.get(i) == Some(&value);
                }
                Ok(allowed)
            }
            _ => Ok(false),
        }
    }

    fn count(&mut self, role: Role) -> bool {
        let (by, from) = match role {
            Role::Shift(by) => (by, self.number),
            Role::ShiftFrom { by, from } => (by, from),
            Role::IsNumber(number) => (0, number),
            _ => return false,
        };
        let allowed = self.number == from;
        if allowed {
            self.number = self.number.wrapping_add(by);
        }
        allowed
    }

    fn permit(&mut self, role: Role) -> bool {
        let after = match role {
            Role::Release => self.permits.checked_add(1),
            Role::Acquire => self.permits.checked_sub(1),
            Role::NoPermit => (self.permits == 0).then_some(0),
            _ => None,
        };
        self.permits = after.unwrap_or(self.permits);
        after.is_some()
    }
}
