//! Locks and semaphores: operations that wait.
//!
//! A process that waits needs another one to release. Enough calls are reserved for that, and the holder
//! of the lock makes them, so every operation returns in the end.

use linpoint_formats::{Format, Value};

use super::{Blocked, Draft, Object, Op, Recorded};
use crate::rng::Rng;

/// How often the history says that something was acquired and released.
#[derive(Default, Clone)]
struct Account {
    taken: i64,
    given: i64,
    /// Ambiguous operations that may have acquired one.
    perhaps_taken: i64,
    perhaps_given: i64,
}

impl Account {
    fn record(&mut self, op: &Op, recorded: Recorded<'_>) {
        let gives = op.name == "release";
        match recorded {
            Recorded::Ambiguous if gives => self.perhaps_given += 1,
            Recorded::Ambiguous => self.perhaps_taken += 1,
            Recorded::Known(Some(Value::Bool(false))) => {}
            Recorded::Known(_) if gives => self.given += 1,
            Recorded::Known(_) => self.taken += 1,
        }
    }
}

/// A lock.
#[derive(Clone)]
pub(super) struct Mutex {
    holder: Option<u32>,
    waiting: u64,
    /// Try-acquire is among the operations: Jepsen's locks have none.
    tries: bool,
    account: Account,
}

impl Mutex {
    pub(super) fn new(draft: &Draft<'_>) -> Mutex {
        let tries = draft.format != Format::Edn;
        Mutex { holder: None, waiting: 0, tries, account: Account::default() }
    }
}

impl Object for Mutex {
    fn draw(&mut self, who: u32, left: u64, rng: &mut Rng) -> Option<Op> {
        // The releases that waiting processes need.
        let needed =
            if self.holder.is_some() { self.waiting } else { self.waiting.saturating_sub(1) };
        if self.holder == Some(who) && (left <= needed || rng.percent(70)) {
            return Some(Op::alone("release"));
        }
        if left <= needed {
            return None;
        }
        let waits = left > needed + 1 && self.holder != Some(who);
        if waits && (!self.tries || rng.percent(60)) {
            self.waiting += 1;
            return Some(Op::alone("acquire"));
        }
        match self.tries {
            true => Some(Op::alone("try_acquire")),
            false if self.holder == Some(who) => Some(Op::alone("release")),
            // The lock is free and no process waits, so the last calls may acquire it.
            false if self.waiting == 0 && self.holder.is_none() => {
                self.waiting += 1;
                Some(Op::alone("acquire"))
            }
            false => None,
        }
    }

    fn apply(&mut self, who: u32, op: &Op, _rng: &mut Rng) -> Result<Option<Value>, Blocked> {
        let is_free = self.holder.is_none();
        match op.name {
            "release" if self.holder == Some(who) => self.holder = None,
            "release" => return Err(Blocked),
            "acquire" if !is_free => return Err(Blocked),
            _ if is_free => self.holder = Some(who),
            _ => {}
        }
        if op.name == "acquire" {
            self.waiting = self.waiting.saturating_sub(1);
        }
        Ok((op.name == "try_acquire").then_some(Value::Bool(is_free)))
    }

    /// At the end, the lock was acquired as often as it was released, or once more.
    fn fork(&self) -> Box<dyn Object> {
        Box::new(self.clone())
    }

    fn wrong(&self, op: &Op, result: &Value) -> Option<Value> {
        let Account { taken, given, perhaps_taken, perhaps_given } = self.account;
        let breaks = match result {
            Value::Bool(true) => taken - 1 + perhaps_taken < given,
            Value::Bool(false) => taken + 1 > given + perhaps_given + 1,
            _ => false,
        };
        (op.name == "try_acquire" && breaks).then(|| Value::Bool(*result == Value::Bool(false)))
    }

    fn has_results(&self, op: &Op) -> bool {
        op.name == "try_acquire"
    }

    fn record(&mut self, op: &Op, recorded: Recorded<'_>) {
        self.account.record(op, recorded);
    }

    fn give_up(&mut self, op: &Op) {
        if op.name == "acquire" {
            self.waiting = self.waiting.saturating_sub(1);
        }
    }

    /// A process that got the lock late would hold it during another operation and could not release it.
    fn can_be_late(&self) -> bool {
        false
    }
}

/// Permits.
#[derive(Clone)]
pub(super) struct Semaphore {
    initial: i64,
    permits: u64,
    waiting: u64,
    processes: u32,
    /// The last calls, this many, only acquire.
    last: u64,
    /// The format has no operation that waits.
    never_waits: bool,
    account: Account,
}

impl Semaphore {
    pub(super) fn new(draft: &Draft<'_>) -> Semaphore {
        let initial = draft.option("initial").and_then(Value::as_int).unwrap_or(0).max(0);
        Semaphore {
            initial,
            permits: initial.unsigned_abs(),
            waiting: 0,
            processes: draft.processes,
            last: (8 * u64::from(draft.processes)).min(draft.operations / 2),
            never_waits: !draft.format.has_pending(),
            account: Account::default(),
        }
    }
}

impl Object for Semaphore {
    fn draw(&mut self, _who: u32, left: u64, rng: &mut Rng) -> Option<Op> {
        let needed = self.waiting.saturating_sub(self.permits);
        if left <= needed {
            return Some(Op::alone("release"));
        }
        // At the end all permits are taken, so that taking another one is wrong.
        if left <= self.last {
            return Some(Op::alone("try_acquire"));
        }
        if rng.percent(45) {
            return Some(Op::alone("release"));
        }
        // At least one process must be able to release.
        let may_wait = left > needed + 1
            && (self.permits > self.waiting || self.waiting + 1 < u64::from(self.processes));
        if may_wait && !self.never_waits && rng.percent(50) {
            self.waiting += 1;
            return Some(Op::alone("acquire"));
        }
        Some(Op::alone("try_acquire"))
    }

    fn apply(&mut self, _who: u32, op: &Op, _rng: &mut Rng) -> Result<Option<Value>, Blocked> {
        let is_free = self.permits > 0;
        match op.name {
            "release" => self.permits += 1,
            "acquire" if !is_free => return Err(Blocked),
            "acquire" => {
                self.permits -= 1;
                self.waiting = self.waiting.saturating_sub(1);
            }
            _ => {
                self.permits -= u64::from(is_free);
                return Ok(Some(Value::Bool(is_free)));
            }
        }
        Ok(None)
    }

    /// A process cannot take a permit that does not exist.
    fn fork(&self) -> Box<dyn Object> {
        Box::new(self.clone())
    }

    fn wrong(&self, op: &Op, result: &Value) -> Option<Value> {
        let Account { taken, given, perhaps_given, .. } = self.account;
        let breaks =
            *result == Value::Bool(false) && taken + 1 > self.initial + given + perhaps_given;
        (op.name == "try_acquire" && breaks).then_some(Value::Bool(true))
    }

    fn has_results(&self, op: &Op) -> bool {
        op.name == "try_acquire"
    }

    fn record(&mut self, op: &Op, recorded: Recorded<'_>) {
        self.account.record(op, recorded);
    }

    fn give_up(&mut self, op: &Op) {
        if op.name == "acquire" {
            self.waiting = self.waiting.saturating_sub(1);
        }
    }

    fn can_be_late(&self) -> bool {
        false
    }
}
