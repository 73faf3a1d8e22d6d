//! Values as bytes: states, which outlive the step that made them.
//!
//! Equal values have equal bytes, since dicts and sets are sorted. So states are compared and hashed as bytes, move
//! between threads, and take no more memory than their contents.

use std::collections::{BTreeMap, BTreeSet};

use super::value::{DEEPEST, Val};

const NONE: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const INT: u8 = 3;
const STR: u8 = 4;
const TUPLE: u8 = 5;
const LIST: u8 = 6;
const DICT: u8 = 7;
const SET: u8 = 8;
/// Numbers from 0 on that fit are their own tag.
const SMALL: u8 = 16;

/// Appends a value.
pub(crate) fn write(value: &Val, bytes: &mut Vec<u8>) -> Result<(), String> {
    write_at(value, bytes, 0)
}

fn write_at(value: &Val, bytes: &mut Vec<u8>, depth: u32) -> Result<(), String> {
    if depth > DEEPEST {
        return Err("a state is nested too deeply, or contains itself".into());
    }
    let mut all = |tag: u8, len: usize, items: &mut dyn Iterator<Item = &Val>| {
        bytes.push(tag);
        write_number(len as u64, bytes);
        for item in items {
            write_at(item, bytes, depth + 1)?;
        }
        Ok::<(), String>(())
    };
    match value {
        Val::None => bytes.push(NONE),
        Val::Bool(b) => bytes.push(if *b { TRUE } else { FALSE }),
        Val::Int(n) => match u8::try_from(*n).ok().and_then(|n| n.checked_add(SMALL)) {
            Some(small) => bytes.push(small),
            None => {
                bytes.push(INT);
                // Zigzag: numbers near 0 are short.
                write_number(((n << 1) ^ (n >> 63)) as u64, bytes);
            }
        },
        Val::Str(text) => {
            bytes.push(STR);
            write_number(text.len() as u64, bytes);
            bytes.extend_from_slice(text.as_bytes());
        }
        Val::Tuple(items) => all(TUPLE, items.len(), &mut items.iter())?,
        Val::List(items) => all(LIST, items.get().len(), &mut items.get().iter())?,
        Val::Set(items) => all(SET, items.get().len(), &mut items.get().iter())?,
        Val::Dict(entries) => {
            let entries = entries.get();
            let mut items = entries.iter().flat_map(|(key, value)| [key, value]);
            all(DICT, entries.len(), &mut items)?;
        }
        Val::Unset | Val::Range(_) | Val::Function(_) | Val::Builtin(_) => {
            return Err(format!("a state cannot contain a {}", value.kind()));
        }
    }
    Ok(())
}

fn write_number(mut n: u64, bytes: &mut Vec<u8>) {
    while n >= 128 {
        bytes.push(n as u8 | 128);
        n >>= 7;
    }
    bytes.push(n as u8);
}

/// The value of bytes that [`write`] made.
pub(crate) fn read(bytes: &[u8]) -> Val {
    Reader { bytes }.value()
}

/// Reads what [`write`] wrote; anything else becomes some value.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.bytes.split_first() else { return NONE };
        self.bytes = rest;
        *first
    }

    fn number(&mut self) -> u64 {
        let (mut n, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            n |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 || shift > 63 {
                return n;
            }
        }
    }

    fn len(&mut self) -> usize {
        // Each element takes a byte.
        (self.number() as usize).min(self.bytes.len())
    }

    fn value(&mut self) -> Val {
        match self.byte() {
            FALSE => Val::Bool(false),
            TRUE => Val::Bool(true),
            INT => {
                let n = self.number();
                Val::Int((n >> 1) as i64 ^ -((n & 1) as i64))
            }
            STR => {
                let len = self.len();
                let (text, rest) = self.bytes.split_at(len);
                self.bytes = rest;
                Val::str(std::str::from_utf8(text).unwrap_or_default())
            }
            TUPLE => Val::Tuple(self.values().into()),
            LIST => Val::list(self.values()),
            SET => Val::set(BTreeSet::from_iter(self.values())),
            DICT => {
                let len = self.len();
                let entries = (0..len).map(|_| (self.value(), self.value()));
                Val::dict(BTreeMap::from_iter(entries))
            }
            small @ SMALL.. => Val::Int((small - SMALL).into()),
            _ => Val::None,
        }
    }

    fn values(&mut self) -> Vec<Val> {
        let len = self.len();
        (0..len).map(|_| self.value()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_as_bytes() {
        let inner = Val::tuple([Val::Int(-1), Val::Int(i64::MIN), Val::Int(i64::MAX), Val::None]);
        let entries = [(Val::str("ä"), Val::list(vec![inner])), (Val::Int(239), Val::Bool(true))];
        let set = Val::set([Val::Int(240), Val::str("")].into());
        let value = Val::tuple([Val::dict(entries.into()), set, Val::Bool(false), Val::Int(0)]);
        let mut bytes = Vec::new();
        write(&value, &mut bytes).unwrap();
        assert!(read(&bytes) == value, "{}", read(&bytes).repr());
    }

    #[test]
    fn what_is_cut_is_no_panic() {
        for len in 0..4 {
            read(&[DICT, 200, LIST, STR][..len]);
        }
    }
}
