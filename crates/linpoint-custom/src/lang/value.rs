//! Values of a script.
//!
//! Lists, dicts and sets are shared and can be changed, as in Python. Dicts and sets are sorted by their keys, unlike
//! Python's: two equal states must behave in the same way, so the order of insertion must not matter.

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

use super::builtins::Builtin;

/// A value.
#[derive(Clone)]
pub(crate) enum Val {
    /// A variable without a value.
    Unset,
    None,
    Bool(bool),
    Int(i64),
    Str(Rc<str>),
    Tuple(Rc<[Val]>),
    List(Rc<Shared<Vec<Val>>>),
    Dict(Rc<Shared<BTreeMap<Val, Val>>>),
    Set(Rc<Shared<BTreeSet<Val>>>),
    /// From, to, step.
    Range(Rc<(i64, i64, i64)>),
    Function(u32),
    Builtin(Builtin),
}

/// A collection that can be changed, unless it is frozen or a loop goes over it.
pub(crate) struct Shared<T> {
    items: RefCell<T>,
    frozen: Cell<bool>,
    loops: Cell<u32>,
}

impl<T> Shared<T> {
    pub(crate) fn new(items: T) -> Rc<Shared<T>> {
        Rc::new(Shared {
            items: RefCell::new(items),
            frozen: Cell::new(false),
            loops: Cell::new(0),
        })
    }

    /// INVARIANT: borrows do not outlive the evaluation of one operation on values, and nothing else is evaluated
    /// meanwhile.
    #[inline]
    pub(crate) fn get(&self) -> Ref<'_, T> {
        self.items.borrow()
    }

    /// To change it.
    #[inline]
    pub(crate) fn change(&self) -> Result<RefMut<'_, T>, String> {
        if self.frozen.get() {
            return Err(
                "a global value cannot be changed: what changes belongs to the state".into()
            );
        }
        if self.loops.get() > 0 {
            return Err("this cannot be changed while a loop goes over it: loop over a copy".into());
        }
        Ok(self.items.borrow_mut())
    }

    fn freeze(&self) -> bool {
        !self.frozen.replace(true)
    }

    pub(super) fn enter_loop(&self) {
        self.loops.set(self.loops.get() + 1);
    }

    pub(super) fn leave_loop(&self) {
        self.loops.set(self.loops.get().saturating_sub(1));
    }
}

/// Values that contain each other are followed this deep.
pub(crate) const DEEPEST: u32 = 100;

impl Val {
    pub(crate) fn str(text: &str) -> Val {
        Val::Str(text.into())
    }

    pub(crate) fn tuple(items: impl IntoIterator<Item = Val>) -> Val {
        Val::Tuple(items.into_iter().collect())
    }

    pub(crate) fn list(items: Vec<Val>) -> Val {
        Val::List(Shared::new(items))
    }

    pub(crate) fn dict(entries: BTreeMap<Val, Val>) -> Val {
        Val::Dict(Shared::new(entries))
    }

    pub(crate) fn set(items: BTreeSet<Val>) -> Val {
        Val::Set(Shared::new(items))
    }

    /// The name of its type.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Val::Unset => "unset",
            Val::None => "NoneType",
            Val::Bool(_) => "bool",
            Val::Int(_) => "int",
            Val::Str(_) => "string",
            Val::Tuple(_) => "tuple",
            Val::List(_) => "list",
            Val::Dict(_) => "dict",
            Val::Set(_) => "set",
            Val::Range(_) => "range",
            Val::Function(_) | Val::Builtin(_) => "function",
        }
    }

    pub(crate) fn is_true(&self) -> bool {
        match self {
            Val::Unset | Val::None => false,
            Val::Bool(b) => *b,
            Val::Int(n) => *n != 0,
            Val::Str(text) => !text.is_empty(),
            Val::Tuple(items) => !items.is_empty(),
            Val::List(items) => !items.get().is_empty(),
            Val::Dict(entries) => !entries.get().is_empty(),
            Val::Set(items) => !items.get().is_empty(),
            Val::Range(range) => range_len(range) > 0,
            Val::Function(_) | Val::Builtin(_) => true,
        }
    }

    /// True if it can be a key: it cannot change.
    pub(crate) fn is_key(&self) -> bool {
        match self {
            Val::None | Val::Bool(_) | Val::Int(_) | Val::Str(_) => true,
            Val::Tuple(items) => items.iter().all(Val::is_key),
            _ => false,
        }
    }

    /// True if it can be changed without changing anything else: it is one collection at most.
    pub(crate) fn is_on_its_own(&self) -> bool {
        match self {
            Val::List(list) => !list.frozen.get() && list.get().iter().all(Val::is_key),
            Val::Dict(dict) => !dict.frozen.get() && dict.get().values().all(Val::is_key),
            Val::Set(set) => !set.frozen.get(),
            other => other.is_key(),
        }
    }

    /// Makes everything in it unchangeable.
    pub(crate) fn freeze(&self) {
        match self {
            Val::Tuple(items) => items.iter().for_each(Val::freeze),
            Val::List(list) if list.freeze() => list.get().iter().for_each(Val::freeze),
            Val::Dict(dict) if dict.freeze() => dict.get().values().for_each(Val::freeze),
            Val::Set(set) => {
                set.freeze();
            }
            _ => {}
        }
    }

    /// In the order of kinds, and then by contents. Values nested too deeply are equal.
    fn compare(&self, other: &Val, depth: u32) -> Ordering {
        if depth > DEEPEST {
            return Ordering::Equal;
        }
        let by_items = |a: &[Val], b: &[Val]| {
            let different = a.iter().zip(b).map(|(a, b)| a.compare(b, depth + 1));
            different.into_iter().find(|order| order.is_ne()).unwrap_or(a.len().cmp(&b.len()))
        };
        match (self, other) {
            (Val::Int(a), Val::Int(b)) => a.cmp(b),
            (Val::Str(a), Val::Str(b)) => a.cmp(b),
            (Val::Bool(a), Val::Bool(b)) => a.cmp(b),
            (Val::Tuple(a), Val::Tuple(b)) => by_items(a, b),
            (Val::List(a), Val::List(b)) => match Rc::ptr_eq(a, b) {
                true => Ordering::Equal,
                false => by_items(&a.get(), &b.get()),
            },
            (Val::Dict(a), Val::Dict(b)) => {
                if Rc::ptr_eq(a, b) {
                    return Ordering::Equal;
                }
                let (a, b) = (a.get(), b.get());
                let entries = a.iter().zip(b.iter());
                let mut orders = entries.map(|((k, v), (l, w))| {
                    k.compare(l, depth + 1).then_with(|| v.compare(w, depth + 1))
                });
                orders.find(|order| order.is_ne()).unwrap_or(a.len().cmp(&b.len()))
            }
            (Val::Set(a), Val::Set(b)) => match Rc::ptr_eq(a, b) {
                true => Ordering::Equal,
                false => a.get().cmp(&b.get()),
            },
            (Val::Range(a), Val::Range(b)) => a.cmp(b),
            (Val::Function(a), Val::Function(b)) => a.cmp(b),
            (Val::Builtin(a), Val::Builtin(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Val::Unset => 0,
            Val::None => 1,
            Val::Bool(_) => 2,
            Val::Int(_) => 3,
            Val::Str(_) => 4,
            Val::Tuple(_) => 5,
            Val::List(_) => 6,
            Val::Dict(_) => 7,
            Val::Set(_) => 8,
            Val::Range(_) => 9,
            Val::Function(_) => 10,
            Val::Builtin(_) => 11,
        }
    }

    /// The name of a place in the list of operations that can be called.
    pub(crate) fn placeholder(&self) -> Option<&'static str> {
        match self {
            Val::Builtin(
                place @ (Builtin::Amount | Builtin::Key | Builtin::Process | Builtin::Value),
            ) => Some(place.name()),
            _ => None,
        }
    }

    /// As Python writes it. Long texts are cut.
    pub(crate) fn repr(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, 0);
        text
    }

    fn write(&self, text: &mut String, depth: u32) {
        use fmt::Write;
        const LONGEST: usize = 1 << 16;
        if depth > DEEPEST || text.len() > LONGEST {
            text.push_str("...");
            return;
        }
        let items = |text: &mut String, items: &mut dyn Iterator<Item = Val>| {
            for (i, item) in items.enumerate() {
                text.push_str(if i == 0 { "" } else { ", " });
                item.write(text, depth + 1);
            }
        };
        // Writing to a string cannot fail.
        let _ = match self {
            Val::Unset => write!(text, "unset"),
            Val::None => write!(text, "None"),
            Val::Bool(b) => write!(text, "{}", if *b { "True" } else { "False" }),
            Val::Int(n) => write!(text, "{n}"),
            Val::Str(s) => write!(text, "{s:?}"),
            Val::Tuple(all) => {
                text.push('(');
                items(text, &mut all.iter().cloned());
                write!(text, "{}", if all.len() == 1 { ",)" } else { ")" })
            }
            Val::List(all) => {
                text.push('[');
                items(text, &mut all.get().iter().cloned());
                write!(text, "]")
            }
            Val::Set(all) if all.get().is_empty() => write!(text, "set()"),
            Val::Set(all) => {
                text.push('{');
                items(text, &mut all.get().iter().cloned());
                write!(text, "}}")
            }
            Val::Dict(entries) => {
                text.push('{');
                for (i, (key, value)) in entries.get().iter().enumerate() {
                    text.push_str(if i == 0 { "" } else { ", " });
                    key.write(text, depth + 1);
                    text.push_str(": ");
                    value.write(text, depth + 1);
                }
                write!(text, "}}")
            }
            Val::Range(range) => match **range {
                (from, to, 1) => write!(text, "range({from}, {to})"),
                (from, to, step) => write!(text, "range({from}, {to}, {step})"),
            },
            Val::Function(_) | Val::Builtin(_) => write!(text, "a function"),
        };
    }

    /// A text without its quotes; any other value as [`Val::repr`] writes it.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Val::Str(text) => text.to_string(),
            other => other.repr(),
        }
    }
}

/// The number of numbers in a range.
pub(crate) fn range_len(&(from, to, step): &(i64, i64, i64)) -> u64 {
    let distance = match step > 0 {
        true => i128::from(to) - i128::from(from),
        false => i128::from(from) - i128::from(to),
    };
    let step = i128::from(step).abs().max(1);
    u64::try_from((distance + step - 1).max(0) / step).unwrap_or(u64::MAX)
}

impl PartialEq for Val {
    #[inline]
    fn eq(&self, other: &Val) -> bool {
        match (self, other) {
            (Val::Str(a), Val::Str(b)) => a == b,
            (Val::Int(a), Val::Int(b)) => a == b,
            _ => self.compare(other, 0).is_eq(),
        }
    }
}

impl Eq for Val {}

impl Ord for Val {
    #[inline]
    fn cmp(&self, other: &Val) -> Ordering {
        self.compare(other, 0)
    }
}

impl PartialOrd for Val {
    fn partial_cmp(&self, other: &Val) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
