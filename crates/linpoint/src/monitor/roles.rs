//! The kinds of all rows, with the names of their values and keys: the first pass over a history.

use crate::spec::{Name, Role, Shape, Slot};

use super::columns::Kind;
use super::names::Names;
use super::{Refusal, Rows};

/// Rows are read in portions that stay in the cache.
pub(super) const PORTION: usize = 128;

/// The roles of all rows, with their original names.
#[derive(Default)]
pub(super) struct Roles {
    pub(super) kinds: Vec<Kind>,
    /// Those of the sources come after the last row.
    pub(super) names: Names,
    pub(super) keys: Names,
    /// A place that has the name of a register's initial value.
    pub(super) initial: Option<(u32, Slot)>,
    /// Of a deque: whether the row is about the front.
    pub(super) fronts: Vec<bool>,
}

impl Roles {
    pub(super) fn read(rows: Rows<'_>) -> Result<Roles, Refusal> {
        let mut reader = Reader::new(rows);
        let mut portion = Vec::with_capacity(PORTION);
        for first in (0..rows.len()).step_by(PORTION) {
            rows.roles(first..rows.len().min(first + PORTION), &mut portion);
            if rows.shape() == Shape::Deque {
                reader.read_ends(&mut portion);
            }
            reader.read(first, &portion)?;
            portion.clear();
        }
        reader.finish()
    }
}

/// Takes portions of rows, one after the other.
struct Reader<'a> {
    rows: Rows<'a>,
    has_values: bool,
    /// The name of the initial value of a register.
    initial: Option<Name>,
    roles: Roles,
    /// The names of replaced values, up to the last row that replaced something.
    sources: Vec<u64>,
}

impl<'a> Reader<'a> {
    fn new(rows: Rows<'a>) -> Reader<'a> {
        let has_values = rows.shape() != Shape::Flags;
        let initial = match rows.shape() {
            Shape::Registers { initial } => Some(initial),
            _ => None,
        };
        let mut roles = Roles::default();
        roles.kinds.reserve_exact(rows.len());
        if has_values {
            roles.names = Names::with_capacity(rows.len());
        }
        Reader { rows, has_values, initial, roles, sources: Vec::new() }
    }

    /// Notes what is about the front of a deque. Its role is then that of the same operation at the back.
    fn read_ends(&mut self, portion: &mut [(Role, Option<Name>)]) {
        for (role, _) in portion {
            let at_back = match *role {
                Role::AddFront(name) => Some(Role::Add(name)),
                Role::RemoveFront(name) => Some(Role::Remove(name)),
                Role::TakeFront => Some(Role::Take),
                Role::PeekFront(name) => Some(Role::Peek(name)),
                _ => None,
            };
            self.roles.fronts.push(at_back.is_some());
            *role = at_back.unwrap_or(*role);
        }
    }

    /// Reads a portion that begins with row `first`. Adds and removes come in no predictable order,
    /// so everything that depends on the role is one small operation at a time, without branches.
    fn read(&mut self, first: usize, portion: &[(Role, Option<Name>)]) -> Result<(), Refusal> {
        for (row, (role, _)) in (first..).zip(portion) {
            let Some(kind) = kind_of(role) else { return Err(refusal(role)) };
            if kind == Kind::Take && !self.rows.is_pending(row) {
                return Err(Refusal::new("the result of a completed removal is unknown"));
            }
            self.roles.kinds.push(kind);
        }
        if self.has_values {
            for (row, (role, _)) in (first..).zip(portion) {
                match value_of(role) {
                    Some(value) => self.read_value(row, value, role),
                    None => self.roles.names.push_none(),
                }
            }
        }
        for key in portion.iter().filter_map(|(_, key)| *key) {
            self.read_key(key);
        }
        Ok(())
    }

    #[inline]
    fn read_value(&mut self, row: usize, value: Name, role: &Role) {
        self.roles.names.push(value.0);
        if let Role::Replace { from, .. } = *role {
            self.sources.resize(row, 0);
            self.sources.push(from.0);
            if self.initial == Some(from) {
                self.roles.initial = Some((row as u32, Slot::Source));
            }
        }
        if self.initial == Some(value) {
            self.roles.initial = Some((row as u32, Slot::Value));
        }
    }

    #[inline]
    fn read_key(&mut self, key: Name) {
        let keys = &mut self.roles.keys;
        if keys.is_empty() {
            *keys = Names::with_capacity(self.rows.len());
        }
        keys.push(key.0);
    }

    fn finish(self) -> Result<Roles, Refusal> {
        let Reader { rows, mut roles, mut sources, .. } = self;
        if !sources.is_empty() {
            sources.resize(rows.len(), 0);
            for (source, kind) in sources.iter().zip(&roles.kinds) {
                match kind {
                    Kind::Replace => roles.names.push(*source),
                    _ => roles.names.push_none(),
                }
            }
        }
        if roles.keys.len() != roles.kinds.len() && !roles.keys.is_empty() {
            return Err(Refusal::new("some operations have no key"));
        }
        Ok(roles)
    }
}

/// The kind of a row with this role.
#[inline]
fn kind_of(role: &Role) -> Option<Kind> {
    Some(match role {
        Role::Idle => Kind::Idle,
        Role::Add(_) => Kind::Add,
        Role::Remove(_) => Kind::Remove,
        Role::Take => Kind::Take,
        Role::Peek(_) => Kind::Peek,
        Role::Empty => Kind::Empty,
        Role::Raise => Kind::Raise,
        Role::Lower => Kind::Lower,
        Role::IsUp => Kind::IsUp,
        Role::IsDown => Kind::IsDown,
        Role::Write(_) => Kind::Write,
        Role::Read(_) => Kind::Read,
        Role::Replace { .. } => Kind::Replace,
        _ => return None,
    })
}

/// The value that it adds, writes or finds.
#[inline]
fn value_of(role: &Role) -> Option<Name> {
    match *role {
        Role::Add(name)
        | Role::Remove(name)
        | Role::Peek(name)
        | Role::Write(name)
        | Role::Read(name)
        | Role::Replace { to: name, .. } => Some(name),
        _ => None,
    }
}

/// The reason to refuse a role.
#[cold]
fn refusal(role: &Role) -> Refusal {
    Refusal::new(match role {
        Role::Foreign(reason) => reason,
        Role::Other(_) => "a failed compare-and-set does not report the value that it found",
        _ => "an operation that this kind of object lacks",
    })
}
