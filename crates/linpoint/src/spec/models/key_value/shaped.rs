//! A key-value store in the words of the monitors.

use std::borrow::Cow;

use super::{KeyValue, KeyValueOp, KeyValueRet};
use crate::spec::models::{Append, Value};
use crate::spec::{Mention, Name, Role, Shape, Shaped, Slot, Text};

use KeyValueOp::{CompareAndSet, Delete, Get, GetOrElseUpdate, Put, Remove};
use KeyValueRet::{Bool, Done};

impl<K: Value + Ord, V: Append> KeyValue<K, V> {
    /// The value that is mentioned, or that there is none.
    fn mentioned<'a>(
        &'a self,
        mention: Mention<'a, KeyValueOp<K, V>, KeyValueRet<V>>,
    ) -> Option<&'a V> {
        let found = match mention.ret {
            Some(KeyValueRet::Value(v)) => v.as_ref(),
            _ => None,
        };
        match (mention.op, mention.slot) {
            (CompareAndSet(_, expected, _), Slot::Source) => expected.as_ref(),
            // What it found is its source, what it left is the initial value; where the two are
            // one, it is a read.
            (Remove(_), Slot::Source) => found,
            (Remove(_) | Delete(_), _) => self.initial.as_ref(),
            (GetOrElseUpdate(..), Slot::Source) => None,
            (GetOrElseUpdate(_, v), _) if mention.ret.is_none() => Some(v),
            (Put(_, v) | KeyValueOp::Append(_, v) | CompareAndSet(_, _, v), _) => Some(v),
            _ => found,
        }
    }
}

impl<K: Value + Ord, V: Append> KeyValue<K, V> {
    /// No value is the empty text. Where a key may hold none, an empty value is something else.
    fn text_of<'a>(&self, value: Option<&'a V>) -> Option<Text<'a>> {
        let Some(value) = value else {
            let nothing = Text { language: None, letters: Cow::Borrowed(&[]) };
            return self.initial.is_none().then_some(nothing);
        };
        value.text().filter(|text| self.initial.is_some() || !text.letters.is_empty())
    }
}

/// A register for each key.
impl<K: Value + Ord, V: Append> Shaped<KeyValueOp<K, V>, KeyValueRet<V>> for KeyValue<K, V> {
    fn shape(&self) -> Shape {
        Shape::Registers { initial: Name::of(&self.initial) }
    }

    fn role(&self, op: &KeyValueOp<K, V>, ret: Option<&KeyValueRet<V>>, pending: bool) -> Role {
        let name = |v: Option<&V>| Name::of(&v);
        let unknown = Role::Foreign("it is not known what a completed operation found");
        let initial = || name(self.initial.as_ref());
        match (op, ret) {
            (KeyValueOp::Append(..), _) => Role::Foreign("values are appended to"),
            (Get(_), None) => Role::Idle,
            (Get(_), Some(KeyValueRet::Value(v))) => Role::Read(name(v.as_ref())),
            (Put(_, v), None | Some(Done)) => Role::Write(name(Some(v))),
            (Delete(_), None | Some(Done)) | (Remove(_), None) => Role::Write(initial()),
            (Remove(_), Some(KeyValueRet::Value(v))) if *v == self.initial => Role::Read(initial()),
            (Remove(_), Some(KeyValueRet::Value(v))) => {
                Role::Replace { from: name(v.as_ref()), to: initial() }
            }
            // With an initial value there is always one.
            (GetOrElseUpdate(..), None) if self.initial.is_some() => Role::Idle,
            (GetOrElseUpdate(_, v), None) if pending => {
                Role::Replace { from: name(None), to: name(Some(v)) }
            }
            (GetOrElseUpdate(_, own), Some(KeyValueRet::Value(Some(v))))
                if self.initial.is_some() || own != v =>
            {
                Role::Read(name(Some(v)))
            }
            (GetOrElseUpdate(..), Some(KeyValueRet::Value(Some(_)))) => Role::Foreign(
                "a get_or_else_update gave its own value, which may have been there before",
            ),
            (CompareAndSet(_, expected, v), _) => {
                let changes = expected.as_ref() != Some(v);
                match ret {
                    None if !changes => Role::Idle,
                    None if !pending => unknown,
                    Some(Bool(true)) if !changes => Role::Read(name(Some(v))),
                    None | Some(Bool(true)) => {
                        Role::Replace { from: name(expected.as_ref()), to: name(Some(v)) }
                    }
                    Some(Bool(false)) => Role::Other(name(expected.as_ref())),
                    _ => Role::Foreign("an operation has a result of another kind"),
                }
            }
            (GetOrElseUpdate(..), None) => unknown,
            _ => Role::Foreign("an operation has a result of another kind"),
        }
    }

    fn appends(&self, op: &KeyValueOp<K, V>) -> bool {
        matches!(op, KeyValueOp::Append(..))
    }

    fn text<'a>(
        &'a self,
        mention: Mention<'a, KeyValueOp<K, V>, KeyValueRet<V>>,
    ) -> Option<Text<'a>> {
        let is_append = self.appends(mention.op);
        if is_append && !matches!(mention.ret, None | Some(Done)) {
            return None;
        }
        self.text_of(self.mentioned(mention))
    }

    fn initial_text(&self) -> Option<Text<'_>> {
        self.text_of(self.initial.as_ref())
    }

    fn key(&self, op: &KeyValueOp<K, V>) -> Option<Name> {
        Some(Name::of(op.key()))
    }

    fn same_name(
        &self,
        a: Mention<'_, KeyValueOp<K, V>, KeyValueRet<V>>,
        b: Mention<'_, KeyValueOp<K, V>, KeyValueRet<V>>,
    ) -> bool {
        match a.slot {
            Slot::Key => a.op.key() == b.op.key(),
            _ => self.mentioned(a) == self.mentioned(b),
        }
    }

    fn is_initial(&self, mention: Mention<'_, KeyValueOp<K, V>, KeyValueRet<V>>) -> bool {
        self.mentioned(mention) == self.initial.as_ref()
    }
}
