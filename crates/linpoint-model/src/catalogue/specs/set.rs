//! Sets of small numbers.

use linpoint::Sequential;

/// Operations of a set of small numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SetOp {
    /// Adds a key; true if it was absent.
    Add(u8),
    /// Adds a key, as a node with an upper level where the structure has levels.
    AddHigh(u8),
    /// Removes a key; true if it was present.
    Remove(u8),
    /// True if a key is present.
    Contains(u8),
}

impl SetOp {
    /// The key.
    pub fn key(self) -> u8 {
        match self {
            SetOp::Add(key) | SetOp::AddHigh(key) | SetOp::Remove(key) | SetOp::Contains(key) => {
                key
            }
        }
    }

    /// True for both kinds of add.
    pub fn is_add(self) -> bool {
        matches!(self, SetOp::Add(_) | SetOp::AddHigh(_))
    }

    /// Every operation on keys 1 to `keys`.
    pub(crate) fn all(keys: u8, levels: bool) -> Vec<SetOp> {
        let mut all: Vec<SetOp> = (1..=keys).map(SetOp::Add).collect();
        if levels {
            all.extend((1..=keys).map(SetOp::AddHigh));
        }
        all.extend((1..=keys).map(SetOp::Remove));
        all.extend((1..=keys).map(SetOp::Contains));
        all
    }

    pub(crate) fn parse(name: &str, key: Option<u8>) -> Option<SetOp> {
        let key = key.filter(|key| (1..=8).contains(key))?;
        match name {
            "add" => Some(SetOp::Add(key)),
            "add^" => Some(SetOp::AddHigh(key)),
            "remove" => Some(SetOp::Remove(key)),
            "contains" => Some(SetOp::Contains(key)),
            _ => None,
        }
    }
}

/// A set, a bit for each key.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Set(u16);

impl Sequential for Set {
    type Op = SetOp;
    type Ret = bool;

    fn apply(&mut self, op: &SetOp) -> bool {
        let bit = 1 << op.key();
        let was_there = self.0 & bit != 0;
        match op {
            SetOp::Add(_) | SetOp::AddHigh(_) => {
                self.0 |= bit;
                !was_there
            }
            SetOp::Remove(_) => {
                self.0 &= !bit;
                was_there
            }
            SetOp::Contains(_) => was_there,
        }
    }

    fn describe_op(&self, op: &SetOp) -> String {
        match op {
            SetOp::Add(key) => format!("add({key})"),
            SetOp::AddHigh(key) => format!("add^({key})"),
            SetOp::Remove(key) => format!("remove({key})"),
            SetOp::Contains(key) => format!("contains({key})"),
        }
    }

    fn describe_ret(&self, _op: &SetOp, ret: &bool) -> String {
        ret.to_string()
    }

    fn describe(&self) -> String {
        let keys: Vec<String> =
            (0..16).filter(|k| self.0 >> k & 1 == 1).map(|k| k.to_string()).collect();
        format!("{{{}}}", keys.join(", "))
    }
}
