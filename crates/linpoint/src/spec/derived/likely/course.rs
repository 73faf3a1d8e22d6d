//! What all guesses share: which operations are open, and an order that can be changed.

use super::super::part::Done;

/// The operations up to a return, and the order in which they took effect.
pub(super) struct Course<'a> {
    run: &'a [Done],
    /// The operation of the same process that returned next; [`NONE`] if there is none.
    following: Vec<u32>,
    /// The next operation of each process to return.
    upcoming: Vec<u32>,
    chain: Chain,
    /// For each operation in the chain, the one that returned when it took effect. Ascending along the chain.
    when: Vec<u32>,
    /// The operation that returns now.
    now: u32,
}

/// No position.
pub(super) const NONE: u32 = u32::MAX;

impl<'a> Course<'a> {
    pub(super) fn new(run: &'a [Done]) -> Self {
        let processes = run.iter().map(|op| op.process as usize + 1).max().unwrap_or(0);
        let mut upcoming = vec![NONE; processes];
        let mut following = vec![NONE; run.len()];
        for (at, op) in run.iter().enumerate().rev() {
            let next = &mut upcoming[op.process as usize];
            following[at] = std::mem::replace(next, at as u32);
        }
        let (chain, when) = (Chain::new(run.len()), vec![0; run.len()]);
        Course { run, following, upcoming, chain, when, now: 0 }
    }

    #[inline]
    pub(super) fn op(&self, at: u32) -> &'a Done {
        &self.run[at as usize]
    }

    /// `at` returns now. True if it takes effect now, false if it has done so before.
    #[inline]
    pub(super) fn returns(&mut self, at: u32) -> bool {
        let process = self.op(at).process as usize;
        self.upcoming[process] = self.following[at as usize];
        self.now = at;
        !self.chain.has(at)
    }

    /// True if `at` was called before `later` took effect. Then it can be put before it: whatever comes after `later` took
    /// effect even later, and returned after that.
    pub(super) fn may_precede(&self, at: u32, later: u32) -> bool {
        self.op(at).call <= self.op(self.when[later as usize]).end
    }

    /// `at` takes effect now.
    #[inline]
    pub(super) fn append(&mut self, at: u32) {
        self.chain.put_before(at, self.chain.last);
        self.when[at as usize] = self.now;
    }

    /// `at` took effect before `later`. It may be in the chain already.
    pub(super) fn put_before(&mut self, at: u32, later: u32) {
        self.chain.put_before(at, later);
        self.when[at as usize] = self.when[later as usize];
    }

    /// What took effect after `at`, or first.
    pub(super) fn after(&self, at: Option<u32>) -> Option<u32> {
        self.chain.after(at)
    }

    /// All operations that took effect, in order.
    pub(super) fn in_order(&self) -> Vec<u32> {
        self.chain.in_order()
    }

    /// The operation of this kind that has been called before `at` returned, and has neither returned nor taken effect. If
    /// there are several, the one that returns first.
    pub(super) fn open(&self, at: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let end = self.op(at).end;
        let fits = |next: &u32| {
            *next != NONE
                && self.op(*next).call <= end
                && self.op(*next).process != self.op(at).process
                && !self.chain.has(*next)
                && is_it(*next)
        };
        // Positions are in the order of returns.
        self.upcoming.iter().copied().filter(fits).min()
    }
}

/// Positions in an order that can be changed anywhere.
struct Chain {
    /// What comes after each position, and at the end, what comes first. `NONE`: it is not in the chain.
    after: Vec<u32>,
    before: Vec<u32>,
    last: u32,
}

impl Chain {
    fn new(len: usize) -> Chain {
        let mut after = vec![NONE; len + 1];
        let mut before = vec![NONE; len + 1];
        // The position behind the last one closes the ring.
        (after[len], before[len]) = (len as u32, len as u32);
        Chain { after, before, last: len as u32 }
    }

    fn has(&self, at: u32) -> bool {
        self.after[at as usize] != NONE
    }

    /// What comes after `at`, or first.
    fn after(&self, at: Option<u32>) -> Option<u32> {
        let next = self.after[at.unwrap_or(self.last) as usize];
        (next != self.last).then_some(next)
    }

    /// It may be in the chain already.
    fn put_before(&mut self, at: u32, later: u32) {
        if self.has(at) {
            let (before, after) = (self.before[at as usize], self.after[at as usize]);
            self.after[before as usize] = after;
            self.before[after as usize] = before;
        }
        let before = self.before[later as usize];
        (self.before[at as usize], self.after[at as usize]) = (before, later);
        self.after[before as usize] = at;
        self.before[later as usize] = at;
    }

    fn in_order(&self) -> Vec<u32> {
        std::iter::successors(self.after(None), |at| self.after(Some(*at))).collect()
    }
}
