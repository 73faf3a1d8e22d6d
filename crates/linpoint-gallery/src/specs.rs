//! Specifications that linpoint does not bundle.

use linpoint::Sequential;

/// A stack with a size.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SizedSpec(Vec<u64>);

/// An operation of [`SizedSpec`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SizedOp {
    /// Returns [`SizedRet::Done`].
    Push(u64),
    /// Returns [`SizedRet::Value`].
    Pop,
    /// Returns [`SizedRet::Size`].
    Size,
}

/// A result of [`SizedSpec`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SizedRet {
    /// A push returned.
    Done,
    /// The former top element.
    Value(Option<u64>),
    /// The number of elements.
    Size(i64),
}

impl Sequential for SizedSpec {
    type Op = SizedOp;
    type Ret = SizedRet;

    fn apply(&mut self, op: &SizedOp) -> SizedRet {
        match op {
            SizedOp::Push(value) => {
                self.0.push(*value);
                SizedRet::Done
            }
            SizedOp::Pop => SizedRet::Value(self.0.pop()),
            SizedOp::Size => SizedRet::Size(self.0.len() as i64),
        }
    }

    fn is_read(&self, op: &SizedOp, _ret: Option<&SizedRet>) -> bool {
        matches!(op, SizedOp::Size)
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + self.0.capacity() * size_of::<u64>()
    }
}

/// A queue of messages; receiving waits for one.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct MailSpec(Vec<u64>);

/// An operation of [`MailSpec`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MailOp {
    /// Returns [`MailRet::Sent`].
    Send(u64),
    /// Returns [`MailRet::Received`] as soon as there is a message.
    Receive,
}

/// A result of [`MailSpec`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MailRet {
    /// The message is in the mailbox.
    Sent,
    /// The oldest message.
    Received(u64),
}

impl Sequential for MailSpec {
    type Op = MailOp;
    type Ret = MailRet;

    fn apply(&mut self, op: &MailOp) -> MailRet {
        match op {
            MailOp::Send(message) => {
                self.0.push(*message);
                MailRet::Sent
            }
            MailOp::Receive => MailRet::Received(self.0.remove(0)),
        }
    }

    fn enabled(&self, op: &MailOp) -> bool {
        matches!(op, MailOp::Send(_)) || !self.0.is_empty()
    }
}
