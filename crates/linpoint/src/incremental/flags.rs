//! A flag in a stream: an element of a set, or a lock without owners.
//!
//! This is the rule of [`crate::monitor`]'s flags, without knowledge of the future. There, a flip
//! happens only at a return that needs one, and the operation that ends first performs it. Here it
//! is not known yet which operation will end first, nor whether an open operation has flipped
//! anything. So a forced flip stays *unclaimed* until an operation returns whose result says that
//! it flipped: it claims the earliest unclaimed flip since its call.
//!
//! *Why.* Whether a return forces a flip depends only on the operations that have ended: for a
//! read, on the values of the flag since its call; for the others, on whether they can all be given
//! a flip of their own between their calls and returns. Claiming the earliest is best: an operation
//! that returns later and was open at an early flip was open at a later one as well. So flips
//! happen exactly when they do in the offline rule, whose proof says that no linearization has
//! fewer up to any moment. The rule fails exactly if unclaimed flips cannot be given to open (or
//! crashed) operations, each open at its flip: if for some flip there are more unclaimed ones up to
//! it than operations that were called before it and can still claim one.
//!
//! Time O(open operations) for each return; memory O(open and crashed operations).

/// What is known about a flag.
#[derive(Clone, Default, Debug)]
pub(super) struct Flag {
    is_up: bool,
    /// Number of events so far.
    now: u64,
    last_flip: u64,
    raises: Side,
    lowers: Side,
}

/// Flips in one direction.
#[derive(Clone, Default, Debug)]
struct Side {
    /// Calls of the operations that have not returned and may flip in this direction, ascending.
    open: Vec<u64>,
    /// Unclaimed flips, ascending.
    unclaimed: Vec<u64>,
}

/// The direction in which an operation may flip the flag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    Up,
    Down,
    Neither,
}

/// What an operation did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Did {
    /// It flipped the flag in its direction.
    Flip,
    /// It found the flag up, or down.
    Find(bool),
    /// It did not happen.
    Nothing,
}

impl Side {
    /// True if every unclaimed flip can still be given to an operation.
    fn is_possible(&self) -> bool {
        self.unclaimed.iter().enumerate().all(|(before, flip)| {
            // The unclaimed flips up to this one need as many operations called before it.
            self.open.partition_point(|call| call < flip) > before
        })
    }

    fn close(&mut self, call: u64) {
        if let Ok(at) = self.open.binary_search(&call) {
            self.open.remove(at);
        }
    }

    /// Claims the earliest flip since `call`, if there is one.
    fn claim(&mut self, call: u64) -> bool {
        let at = self.unclaimed.partition_point(|flip| *flip < call);
        let found = at < self.unclaimed.len();
        if found {
            self.unclaimed.remove(at);
        }
        found
    }
}

impl Flag {
    fn side(&mut self, way: Way) -> Option<&mut Side> {
        match way {
            Way::Up => Some(&mut self.raises),
            Way::Down => Some(&mut self.lowers),
            Way::Neither => None,
        }
    }

    /// Records a call. Returns its time.
    pub(super) fn call(&mut self, way: Way) -> u64 {
        self.now += 1;
        let now = self.now;
        if let Some(side) = self.side(way) {
            side.open.push(now);
        }
        now
    }

    /// An operation that was called at `call` and may have flipped `way` has ended. Returns whether
    /// a linearization still exists.
    pub(super) fn end(&mut self, call: u64, way: Way, did: Did) -> bool {
        self.now += 1;
        if let Some(side) = self.side(way) {
            side.close(call);
        }
        match did {
            Did::Nothing => {}
            Did::Find(up) => {
                if self.is_up != up && self.last_flip < call {
                    self.flip();
                }
            }
            Did::Flip => {
                let claimed = self.side(way).is_none_or(|side| side.claim(call));
                if !claimed {
                    if self.is_up == (way == Way::Up) {
                        self.flip();
                    }
                    self.flip();
                    // The operation claims this very flip.
                    let now = self.now;
                    let _claimed = self.side(way).is_some_and(|side| side.claim(now));
                }
            }
        }
        self.raises.is_possible() && self.lowers.is_possible()
    }

    /// An operation flips the flag, now.
    fn flip(&mut self) {
        let now = self.now;
        let way = if self.is_up { Way::Down } else { Way::Up };
        self.is_up = !self.is_up;
        self.last_flip = now;
        if let Some(side) = self.side(way) {
            side.unclaimed.push(now);
        }
    }

    /// True if the flag may be up (or down) right now.
    pub(super) fn may_be(&self, up: bool) -> bool {
        let mut flipped = self.clone();
        flipped.now += 1;
        flipped.flip();
        self.is_up == up || flipped.raises.is_possible() && flipped.lowers.is_possible()
    }

    /// Number of stored items.
    pub(super) fn stored(&self) -> usize {
        [&self.raises, &self.lowers].iter().map(|side| side.open.len() + side.unclaimed.len()).sum()
    }

    /// The state of the flag, if no open or crashed operation may still flip it.
    pub(super) fn settled(&self) -> Option<bool> {
        (self.raises.open.is_empty() && self.lowers.open.is_empty()).then_some(self.is_up)
    }
}
