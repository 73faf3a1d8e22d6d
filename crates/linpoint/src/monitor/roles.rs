//! What all rows do, with the names of their values and keys: the first pass over a history.

use crate::spec::{Name, Role, Shape, Slot};

use super::columns::Kind;
use super::names::Names;
use super::{Refusal, Rows};

/// Rows are asked about in portions that stay in the cache.
pub(super) const PORTION: usize = 128;

/// The roles of all rows, with names as they are.
#[derive(Default)]
pub(super) struct Roles {
    pub(super) kinds: Vec<Kind>,
    /// Those of the sources come after the last row.
    pub(super) names: Names,
    pub(super) keys: Names,
    /// A place that has the name of a register's initial value.
    pub(super) initial: Option<(u32, Slot)>,
}

impl Roles {
    pub(super) fn read(rows: Rows<'_>) -> Result<Roles, Refusal> {
        let mut reader = Reader::new(rows);
        let mut portion = Vec::with_capacity(PORTION);
        for first in (0..rows.len()).step_by(PORTION) {
            rows.roles(first..rows.len().min(first + PORTION), &mut portion);
            for (row, (role, key)) in (first..).zip(portion.drain(..)) {
                reader.read(row, role)?;
                if let Some(key) = key {
                    reader.read_key(key);
                }
            }
        }
        reader.finish()
    }
}

/// Takes rows one after the other.
struct Reader<'a> {
    rows: Rows<'a>,
    has_values: bool,
    /// The name of the initial value of a register.
    initial: Option<Name>,
    roles: Roles,
    /// The names of what was replaced, as far as the last row that replaced something.
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

    #[inline]
    fn read(&mut self, row: usize, role: Role) -> Result<(), Refusal> {
        let (kind, value) = self.kind(row, role)?;
        if self.initial.is_some_and(|name| name.0 == value) && kind.has_value() {
            self.roles.initial = Some((row as u32, Slot::Value));
        }
        self.roles.kinds.push(kind);
        match self.has_values {
            true if kind.has_value() => self.roles.names.push(value),
            true => self.roles.names.push_none(),
            false => {}
        }
        Ok(())
    }

    #[inline]
    fn kind(&mut self, row: usize, role: Role) -> Result<(Kind, u64), Refusal> {
        Ok(match role {
            Role::Foreign(reason) => return Err(Refusal::new(reason)),
            Role::Take if !self.rows.is_pending(row) => {
                return Err(Refusal::new("it is not known what a completed removal found"));
            }
            Role::Other(_) => {
                return Err(Refusal::new("a failed compare-and-set does not say what it found"));
            }
            Role::Idle => (Kind::Idle, 0),
            Role::Add(name) => (Kind::Add, name.0),
            Role::Remove(name) => (Kind::Remove, name.0),
            Role::Take => (Kind::Take, 0),
            Role::Peek(name) => (Kind::Peek, name.0),
            Role::Empty => (Kind::Empty, 0),
            Role::Raise => (Kind::Raise, 0),
            Role::Lower => (Kind::Lower, 0),
            Role::IsUp => (Kind::IsUp, 0),
            Role::IsDown => (Kind::IsDown, 0),
            Role::Write(name) => (Kind::Write, name.0),
            Role::Read(name) => (Kind::Read, name.0),
            Role::Replace { from, to } => {
                self.sources.resize(row, 0);
                self.sources.push(from.0);
                if self.initial == Some(from) {
                    self.roles.initial = Some((row as u32, Slot::Source));
                }
                (Kind::Replace, to.0)
            }
            _ => return Err(Refusal::new("an operation that this kind of object lacks")),
        })
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
