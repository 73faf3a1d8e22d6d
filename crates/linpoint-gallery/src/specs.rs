//! Specifications that linpoint does not bundle.

use linpoint::Sequential;

/// A stack that knows its size.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SizedSpec(Vec<u64>);

/// What can be done with it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SizedOp {
    /// Gives [`SizedRet::Done`].
    Push(u64),
    /// Gives [`SizedRet::Value`].
    Pop,
    /// Gives [`SizedRet::Size`].
    Size,
}

/// What that gives.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SizedRet {
    /// The push is done.
    Done,
    /// What was on top.
    Value(Option<u64>),
    /// Number of elements.
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

/// What can be done with it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MailOp {
    /// Gives [`MailRet::Sent`].
    Send(u64),
    /// Gives [`MailRet::Received`], as soon as there is a message.
    Receive,
}

/// What that gives.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MailRet {
    /// The message is in the box.
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
