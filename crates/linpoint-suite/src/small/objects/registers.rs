//! Registers: plain, with compare-and-set, with read-modify-write, and several of them by key.

use linpoint::spec::models::{
    CasRegister, CasRegisterOp, CasRegisterRet, KeyValue, KeyValueOp, KeyValueRet, Register,
    RegisterOp, RegisterRet, Rmw, RmwOp, RmwRet,
};

use crate::Rng;
use crate::small::SmallObject;
use crate::small::draw::Style;

/// A register that holds 0 at the start.
pub struct SmallRegister;

/// A compare-and-set register that holds 0 at the start.
pub struct SmallCasRegister;

/// A read-modify-write register that holds 0 at the start.
pub struct SmallRmw;

/// Two keys that hold nothing at the start; no appends.
pub struct SmallKeyValue;

/// A value that may have been written, or the initial one.
fn any_value(rng: &mut Rng, values: u8) -> u8 {
    rng.usize(..usize::from(values) + 1) as u8
}

impl SmallObject for SmallRegister {
    type Op = RegisterOp<u8>;
    type Ret = RegisterRet<u8>;
    type Spec = Register<u8>;

    fn name(&self) -> &'static str {
        "register"
    }

    fn spec(&self) -> Register<u8> {
        Register { initial: 0 }
    }

    fn step(&self, state: u64, op: &RegisterOp<u8>) -> Option<(RegisterRet<u8>, u64)> {
        Some(match op {
            RegisterOp::Read => (RegisterRet::Value(state as u8), state),
            RegisterOp::Write(v) => (RegisterRet::Written, u64::from(*v)),
        })
    }

    fn draw(&self, rng: &mut Rng, _style: &Style, fresh: u8) -> RegisterOp<u8> {
        if rng.bool() { RegisterOp::Read } else { RegisterOp::Write(fresh + 1) }
    }

    fn any_result(&self, rng: &mut Rng, op: &RegisterOp<u8>, values: u8) -> RegisterRet<u8> {
        match op {
            RegisterOp::Read => RegisterRet::Value(any_value(rng, values)),
            RegisterOp::Write(_) => RegisterRet::Written,
        }
    }

    fn letters(&self, values: u8) -> Vec<(RegisterOp<u8>, Option<RegisterRet<u8>>)> {
        let mut letters = vec![(RegisterOp::Read, Some(RegisterRet::Value(0)))];
        for v in 1..=values {
            letters.push((RegisterOp::Read, Some(RegisterRet::Value(v))));
            letters.push((RegisterOp::Write(v), Some(RegisterRet::Written)));
            letters.push((RegisterOp::Write(v), None));
        }
        letters
    }
}

impl SmallObject for SmallCasRegister {
    type Op = CasRegisterOp<u8>;
    type Ret = CasRegisterRet<u8>;
    type Spec = CasRegister<u8>;

    fn name(&self) -> &'static str {
        "cas-register"
    }

    fn spec(&self) -> CasRegister<u8> {
        CasRegister { initial: 0 }
    }

    fn step(&self, state: u64, op: &CasRegisterOp<u8>) -> Option<(CasRegisterRet<u8>, u64)> {
        Some(match op {
            CasRegisterOp::Read => (CasRegisterRet::Value(state as u8), state),
            CasRegisterOp::Write(v) => (CasRegisterRet::Written, u64::from(*v)),
            CasRegisterOp::Cas(expected, v) if u64::from(*expected) == state => {
                (CasRegisterRet::Bool(true), u64::from(*v))
            }
            CasRegisterOp::Cas(..) => (CasRegisterRet::Bool(false), state),
        })
    }

    fn draw(&self, rng: &mut Rng, style: &Style, fresh: u8) -> CasRegisterOp<u8> {
        match rng.usize(..4) {
            0 => CasRegisterOp::Read,
            1 => CasRegisterOp::Write(fresh + 1),
            _ => CasRegisterOp::Cas(any_value(rng, fresh.max(style.values)), fresh + 1),
        }
    }

    fn any_result(&self, rng: &mut Rng, op: &CasRegisterOp<u8>, values: u8) -> CasRegisterRet<u8> {
        match op {
            CasRegisterOp::Read => CasRegisterRet::Value(any_value(rng, values)),
            CasRegisterOp::Write(_) => CasRegisterRet::Written,
            // A failed one is outside the supported fragment, so there are few of them.
            CasRegisterOp::Cas(..) => CasRegisterRet::Bool(rng.f64() < 0.9),
        }
    }

    fn letters(&self, values: u8) -> Vec<(CasRegisterOp<u8>, Option<CasRegisterRet<u8>>)> {
        let mut letters = vec![(CasRegisterOp::Read, Some(CasRegisterRet::Value(0)))];
        for v in 1..=values {
            letters.push((CasRegisterOp::Read, Some(CasRegisterRet::Value(v))));
            letters.push((CasRegisterOp::Write(v), Some(CasRegisterRet::Written)));
            letters.push((CasRegisterOp::Write(v), None));
            for expected in 0..=values {
                let cas = CasRegisterOp::Cas(expected, v);
                letters.push((cas.clone(), Some(CasRegisterRet::Bool(true))));
                letters.push((cas, None));
            }
        }
        letters
    }
}

impl SmallObject for SmallRmw {
    type Op = RmwOp<u8>;
    type Ret = RmwRet<u8>;
    type Spec = Rmw<u8>;

    fn name(&self) -> &'static str {
        "rmw"
    }

    fn spec(&self) -> Rmw<u8> {
        Rmw { initial: 0 }
    }

    fn step(&self, state: u64, op: &RmwOp<u8>) -> Option<(RmwRet<u8>, u64)> {
        Some((RmwRet(state as u8), op.0.into()))
    }

    fn draw(&self, _rng: &mut Rng, _style: &Style, fresh: u8) -> RmwOp<u8> {
        RmwOp(fresh + 1)
    }

    fn any_result(&self, rng: &mut Rng, _op: &RmwOp<u8>, values: u8) -> RmwRet<u8> {
        RmwRet(any_value(rng, values))
    }

    fn letters(&self, values: u8) -> Vec<(RmwOp<u8>, Option<RmwRet<u8>>)> {
        let found = |v| (0..=values).map(move |found| (RmwOp(v), Some(RmwRet(found))));
        let mut letters: Vec<_> = (1..=values).flat_map(found).collect();
        letters.extend((1..=values).map(|v| (RmwOp(v), None)));
        letters
    }
}

impl SmallKeyValue {
    fn held(state: u64, key: u8) -> Option<u8> {
        ((state >> (8 * key)) as u8).checked_sub(1)
    }

    fn with(state: u64, key: u8, value: Option<u8>) -> u64 {
        let shift = 8 * key;
        state & !(0xff << shift) | value.map_or(0, |v| u64::from(v) + 1) << shift
    }
}

impl SmallObject for SmallKeyValue {
    type Op = KeyValueOp<u8, u8>;
    type Ret = KeyValueRet<u8>;
    type Spec = KeyValue<u8, u8>;

    fn name(&self) -> &'static str {
        "kv"
    }

    fn spec(&self) -> KeyValue<u8, u8> {
        KeyValue::new(None)
    }

    fn step(&self, state: u64, op: &KeyValueOp<u8, u8>) -> Option<(KeyValueRet<u8>, u64)> {
        Some(match op {
            KeyValueOp::Get(k) => (KeyValueRet::Value(Self::held(state, *k)), state),
            KeyValueOp::Put(k, v) => (KeyValueRet::Done, Self::with(state, *k, Some(*v))),
            KeyValueOp::Append(..) => return None,
            KeyValueOp::Delete(k) => (KeyValueRet::Done, Self::with(state, *k, None)),
            KeyValueOp::Remove(k) => {
                (KeyValueRet::Value(Self::held(state, *k)), Self::with(state, *k, None))
            }
            KeyValueOp::GetOrElseUpdate(k, v) => {
                let after = Self::held(state, *k).unwrap_or(*v);
                (KeyValueRet::Value(Some(after)), Self::with(state, *k, Some(after)))
            }
            KeyValueOp::CompareAndSet(k, expected, v) => {
                let matches = Self::held(state, *k) == *expected;
                let after = if matches { Self::with(state, *k, Some(*v)) } else { state };
                (KeyValueRet::Bool(matches), after)
            }
        })
    }

    fn draw(&self, rng: &mut Rng, style: &Style, fresh: u8) -> KeyValueOp<u8, u8> {
        let key = rng.usize(..2) as u8;
        match rng.usize(..20) {
            0..8 => KeyValueOp::Get(key),
            8..15 => KeyValueOp::Put(key, fresh),
            15..18 => {
                let expected = any_value(rng, fresh.max(style.values)).checked_sub(1);
                KeyValueOp::CompareAndSet(key, expected, fresh)
            }
            18 => KeyValueOp::GetOrElseUpdate(key, fresh),
            _ if rng.bool() => KeyValueOp::Delete(key),
            _ => KeyValueOp::Remove(key),
        }
    }

    fn any_result(&self, rng: &mut Rng, op: &KeyValueOp<u8, u8>, values: u8) -> KeyValueRet<u8> {
        match op {
            KeyValueOp::Get(_) | KeyValueOp::Remove(_) => {
                KeyValueRet::Value(any_value(rng, values).checked_sub(1))
            }
            KeyValueOp::GetOrElseUpdate(..) => KeyValueRet::Value(Some(any_value(rng, values))),
            KeyValueOp::CompareAndSet(..) => KeyValueRet::Bool(rng.f64() < 0.9),
            _ => KeyValueRet::Done,
        }
    }

    fn letters(&self, values: u8) -> Vec<(KeyValueOp<u8, u8>, Option<KeyValueRet<u8>>)> {
        let mut letters = Vec::new();
        for k in 0..2 {
            letters.push((KeyValueOp::Get(k), Some(KeyValueRet::Value(None))));
            for v in 0..values {
                letters.push((KeyValueOp::Get(k), Some(KeyValueRet::Value(Some(v)))));
                letters.push((KeyValueOp::Put(k, v), Some(KeyValueRet::Done)));
                letters.push((KeyValueOp::Put(k, v), None));
            }
        }
        letters
    }
}
