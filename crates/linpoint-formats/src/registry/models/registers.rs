//! Registers: one value, or several that are read or written together.

use linpoint::spec::models::{
    CasRegister, CasRegisterOp, CasRegisterRet, Register, RegisterOp, RegisterRet, Rmw, RmwOp,
    RmwRet, Snapshot, SnapshotOp, SnapshotRet,
};

use super::super::join::{
    BadOption, Join, Mismatch, Options, bad_arg, bad_ret, bool_ret, done, int_arg, none, one, two,
};
use super::super::{Entry, ModelInfo};
use super::views::Views;
use crate::Value;
use crate::raw::RawOp;

/// `initial=V`, nil if not given.
fn initial(options: &mut Options<'_>) -> Value {
    options.value("initial").cloned().unwrap_or_default()
}

const INITIAL: &str = "initial=VALUE: what it holds at first (nil)";

pub(super) const REGISTER: Entry = Entry {
    info: ModelInfo {
        name: "register",
        about: "one value, read and written",
        operations: &["read() -> value", "write(value)"],
        options: &[INITIAL],
    },
    join: |options| Ok(Box::new(RegisterJoin { initial: initial(options) })),
};

struct RegisterJoin {
    initial: Value,
}

impl Join for RegisterJoin {
    type Spec = Register<Value>;

    fn spec(&self) -> Register<Value> {
        Register { initial: self.initial.clone() }
    }

    #[inline]
    fn op(&self, raw: &RawOp<'_>) -> Result<RegisterOp<Value>, Mismatch> {
        match raw.name {
            "read" => none(raw).map(|()| RegisterOp::Read),
            "write" => Ok(RegisterOp::Write(one(raw)?.clone())),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline]
    fn ret(&self, op: &RegisterOp<Value>, value: &Value) -> Result<RegisterRet<Value>, Mismatch> {
        match op {
            RegisterOp::Read => Ok(RegisterRet::Value(value.clone())),
            RegisterOp::Write(_) => done(value).map(|()| RegisterRet::Written),
        }
    }

    #[inline]
    fn only_ret(&self, op: &RegisterOp<Value>) -> Option<RegisterRet<Value>> {
        matches!(op, RegisterOp::Write(_)).then_some(RegisterRet::Written)
    }
}

pub(super) const CAS_REGISTER: Entry = Entry {
    info: ModelInfo {
        name: "cas-register",
        about: "one value, read, written, and compared-and-set",
        operations: &["read() -> value", "write(value)", "cas(expected, new) -> true or false"],
        options: &[INITIAL],
    },
    join: |options| Ok(Box::new(CasRegisterJoin { initial: initial(options) })),
};

struct CasRegisterJoin {
    initial: Value,
}

impl Join for CasRegisterJoin {
    type Spec = CasRegister<Value>;

    fn spec(&self) -> CasRegister<Value> {
        CasRegister { initial: self.initial.clone() }
    }

    #[inline]
    fn op(&self, raw: &RawOp<'_>) -> Result<CasRegisterOp<Value>, Mismatch> {
        match raw.name {
            "read" => none(raw).map(|()| CasRegisterOp::Read),
            "write" => Ok(CasRegisterOp::Write(one(raw)?.clone())),
            "cas" => two(raw).map(|(a, b)| CasRegisterOp::Cas(a.clone(), b.clone())),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline]
    fn ret(
        &self,
        op: &CasRegisterOp<Value>,
        value: &Value,
    ) -> Result<CasRegisterRet<Value>, Mismatch> {
        match op {
            CasRegisterOp::Read => Ok(CasRegisterRet::Value(value.clone())),
            CasRegisterOp::Write(_) => done(value).map(|()| CasRegisterRet::Written),
            CasRegisterOp::Cas(..) => bool_ret(value).map(CasRegisterRet::Bool),
        }
    }

    #[inline]
    fn only_ret(&self, op: &CasRegisterOp<Value>) -> Option<CasRegisterRet<Value>> {
        matches!(op, CasRegisterOp::Write(_)).then_some(CasRegisterRet::Written)
    }
}

pub(super) const RMW: Entry = Entry {
    info: ModelInfo {
        name: "rmw",
        about: "a read-modify-write register: one value, swapped for another",
        operations: &["swap(value) -> the value before"],
        options: &[INITIAL],
    },
    join: |options| Ok(Box::new(RmwJoin { initial: initial(options) })),
};

struct RmwJoin {
    initial: Value,
}

impl Join for RmwJoin {
    type Spec = Rmw<Value>;

    fn spec(&self) -> Rmw<Value> {
        Rmw { initial: self.initial.clone() }
    }

    #[inline]
    fn op(&self, raw: &RawOp<'_>) -> Result<RmwOp<Value>, Mismatch> {
        match raw.name {
            "swap" => Ok(RmwOp(one(raw)?.clone())),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline]
    fn ret(&self, _op: &RmwOp<Value>, value: &Value) -> Result<RmwRet<Value>, Mismatch> {
        Ok(RmwRet(value.clone()))
    }
}

pub(super) const SNAPSHOT: Entry = Entry {
    info: ModelInfo {
        name: "snapshot",
        about: "segments that are written one at a time and read all at once",
        operations: &["update(segment, value)", "scan() -> list of values"],
        options: &["segments=N: how many there are, numbered from 0 (needed)", INITIAL],
    },
    join: |options| {
        let segments: Option<usize> = options.int("segments")?;
        let missing = || BadOption::missing("a snapshot needs the option \"segments\"");
        let segments = segments.ok_or_else(missing)?;
        // Every state holds all of them: more would only be a way to run out of memory.
        if segments > 1 << 20 {
            return Err(format!("{segments} segments are too many").into());
        }
        let views = Views::default();
        Ok(Box::new(SnapshotJoin { segments, initial: initial(options), views }))
    },
};

struct SnapshotJoin {
    segments: usize,
    initial: Value,
    views: Views,
}

impl Join for SnapshotJoin {
    type Spec = Snapshot<Value>;

    fn spec(&self) -> Snapshot<Value> {
        Snapshot { segments: self.segments, initial: self.initial.clone() }
    }

    #[inline]
    fn op(&self, raw: &RawOp<'_>) -> Result<SnapshotOp<Value>, Mismatch> {
        match raw.name {
            "update" => {
                let (segment, value) = two(raw)?;
                let number: usize = int_arg(segment)?;
                if number >= self.segments {
                    return Err(bad_arg(&format!("a segment below {}", self.segments), segment));
                }
                Ok(SnapshotOp::Update(number, value.clone()))
            }
            "scan" => none(raw).map(|()| SnapshotOp::Scan),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline]
    fn ret(&self, op: &SnapshotOp<Value>, value: &Value) -> Result<SnapshotRet<Value>, Mismatch> {
        match (op, value) {
            (SnapshotOp::Update(..), _) => done(value).map(|()| SnapshotRet::Done),
            (SnapshotOp::Scan, Value::List(values)) if values.len() <= self.segments => {
                Ok(SnapshotRet::Values(self.views.of(values)))
            }
            (SnapshotOp::Scan, _) => {
                Err(bad_ret(&format!("a list of {} values", self.segments), value))
            }
        }
    }

    /// A segment that nobody names makes no difference.
    fn alike(one: &Snapshot<Value>, other: &Snapshot<Value>) -> bool {
        one.initial == other.initial
    }

    #[inline]
    fn only_ret(&self, op: &SnapshotOp<Value>) -> Option<SnapshotRet<Value>> {
        matches!(op, SnapshotOp::Update(..)).then_some(SnapshotRet::Done)
    }
}
