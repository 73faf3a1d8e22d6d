//! A channel on the wire.

use super::{Channel, ChannelOp, ChannelRet};
use crate::spec::models::Value;
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToValue,
    ToWire, args,
};

use ChannelOp::{Cancel, Close, Recv, Send, TryRecv, TrySend};
use ChannelRet::{Bool, Closed, Done, Empty, Full, Message};

/// True if a result of this value says something else than which message was received.
fn is_word(value: &wire::Value) -> bool {
    match value {
        wire::Value::Nil => true,
        wire::Value::Str(text) => matches!(&**text, "empty" | "closed"),
        _ => false,
    }
}

impl<V: Value> ToWire<ChannelOp<V>, ChannelRet<V>> for Channel<V> {
    fn name(&self) -> &'static str {
        Channel::<wire::Value>::INFO.name
    }

    fn options(&self) -> Option<Vec<(&'static str, wire::Value)>> {
        self.capacity.iter().map(|capacity| Some(("capacity", capacity.to_value()?))).collect()
    }

    fn op<'a>(&self, op: &'a ChannelOp<V>) -> (&'static str, Args<'a>) {
        match op {
            Send(v) => ("send", args([v])),
            TrySend(v) => ("try_send", args([v])),
            Recv => ("recv", args([])),
            TryRecv => ("try_recv", args([])),
            Close => ("close", args([])),
            Cancel => ("cancel", args([])),
        }
    }

    fn ret(&self, _op: &ChannelOp<V>, ret: &ChannelRet<V>) -> Option<wire::Value> {
        match ret {
            Done => Some("ok".into()),
            Full => Some("full".into()),
            Empty => Some("empty".into()),
            Closed => Some("closed".into()),
            Message(v) => v.to_value().filter(|value| !is_word(value)),
            Bool(was_open) => Some(wire::Value::Bool(*was_open)),
        }
    }
}

/// The message of a send.
fn message(call: &NamedCall<'_>) -> Result<wire::Value, Mismatch> {
    match wire::one(call)? {
        value if is_word(value) => {
            Err(wire::bad_arg("a value other than null, \"empty\" and \"closed\"", value))
        }
        value => Ok(value.clone()),
    }
}

fn is_closed(value: &wire::Value) -> bool {
    matches!(value, wire::Value::Str(text) if &**text == "closed")
}

impl FromWire for Channel<wire::Value> {
    const INFO: ModelInfo = ModelInfo {
        name: "channel",
        about: "a queue of messages that can be closed; operations wait",
        operations: &[
            "send(value) -> \"ok\" or \"closed\"",
            "try_send(value) -> \"ok\", \"full\" or \"closed\"",
            "recv() -> value or \"closed\"",
            "try_recv() -> value, \"empty\" or \"closed\"",
            "close() -> true if it was open, or \"ok\"",
            "cancel() -> the same; messages in the channel are lost",
        ],
        options: &["capacity=N: holds at most N messages; with 0, a send waits for its receive"],
    };

    fn from_options(options: &mut Options<'_>) -> Result<Self, BadOption> {
        Ok(Channel { capacity: options.int("capacity")?, ..Channel::unbounded() })
    }

    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        let without = |op: Self::Op| wire::none(call).map(|()| op);
        match call.name {
            "send" => message(call).map(Send),
            "try_send" => message(call).map(TrySend),
            "recv" => without(Recv),
            "try_recv" => without(TryRecv),
            "close" => without(Close),
            "cancel" => without(Cancel),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    fn read_ret(&self, op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        Ok(match op {
            _ if is_closed(value) => Closed,
            Send(_) => wire::done(value).map(|()| Done)?,
            TrySend(_) if wire::added(value)? => Done,
            TrySend(_) => Full,
            Close | Cancel => match value {
                wire::Value::Bool(was_open) => Bool(*was_open),
                other => wire::done(other).map(|()| Done)?,
            },
            TryRecv if is_word(value) => Empty,
            Recv if is_word(value) => return Err(wire::bad_ret("a message or \"closed\"", value)),
            Recv | TryRecv => Message(value.clone()),
        })
    }

    /// No close, after which little happens. What a rendezvous does next depends on two operations, so its histories are not
    /// generated this way.
    fn draw(&self, _state: &Self::State, chance: &mut dyn Chance) -> Option<Self::Op> {
        if self.is_rendezvous() {
            return None;
        }
        Some(match chance.below(20) {
            0..6 => Send(chance.value()),
            6..10 => TrySend(chance.value()),
            10..16 => Recv,
            _ => TryRecv,
        })
    }
}
