//! A mailbox whose `receive` waits for a message; correct, or with a window in which a wake-up is
//! lost.

use std::collections::VecDeque;

use super::sync::{Condvar, Mutex};
use crate::specs::{MailOp, MailRet};

/// A mailbox. If it is not `careful`, `receive` finds it empty, releases the lock, and then sleeps
/// without checking again.
pub struct Mailbox {
    messages: Mutex<VecDeque<u64>>,
    arrived: Condvar,
    careful: bool,
}

impl Mailbox {
    /// An empty mailbox.
    pub fn new(careful: bool) -> Self {
        Mailbox { messages: Mutex::new(VecDeque::new()), arrived: Condvar::new(), careful }
    }

    fn send(&self, message: u64) {
        self.messages.lock().unwrap().push_back(message);
        self.arrived.notify_one();
    }

    fn receive(&self) -> u64 {
        let mut messages = self.messages.lock().unwrap();
        loop {
            if let Some(message) = messages.pop_front() {
                return message;
            }
            if !self.careful {
                drop(messages);
                messages = self.messages.lock().unwrap();
            }
            messages = self.arrived.wait(messages).unwrap();
        }
    }

    /// Performs one operation.
    pub fn perform(&self, op: &MailOp) -> MailRet {
        match op {
            MailOp::Send(message) => {
                self.send(*message);
                MailRet::Sent
            }
            MailOp::Receive => MailRet::Received(self.receive()),
        }
    }
}
