//! Registers.

use linpoint::spec::models::{Register, RegisterOp, RegisterRet};

use super::super::join::{Join, Mismatch, Options, done, none, one};
use super::super::{Entry, ModelInfo};
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

    fn op(&self, raw: &RawOp) -> Result<RegisterOp<Value>, Mismatch> {
        match &*raw.name {
            "read" => none(raw).map(|()| RegisterOp::Read),
            "write" => Ok(RegisterOp::Write(one(raw)?.clone())),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    fn ret(&self, op: &RegisterOp<Value>, value: &Value) -> Result<RegisterRet<Value>, Mismatch> {
        match op {
            RegisterOp::Read => Ok(RegisterRet::Value(value.clone())),
            RegisterOp::Write(_) => done(value).map(|()| RegisterRet::Written),
        }
    }

    fn only_ret(&self, op: &RegisterOp<Value>) -> Option<RegisterRet<Value>> {
        matches!(op, RegisterOp::Write(_)).then_some(RegisterRet::Written)
    }
}
