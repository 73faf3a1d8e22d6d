//! Priority queues and bags: only how many of each value are there matters, and that follows from which
//! operations have taken effect. So a state is a ledger.
//!
//! The argument is that of `monitor/counted/`, for operations whose results are not known yet. Let `x`
//! return, which has not taken effect.
//!
//! * *If `x` finds a value, or nothing*, one try is enough: open removals take what comes out before
//!   that value, an open addition adds the value if it is not there, and `x` comes next. Everything else
//!   can come later.
//! * *If `x` leaves an element that was not there* (an addition, or a peek that needs one), the element prevents
//!   operations on values that come out later, and empty results. Each sequence of those may come
//!   first, in the same way: what is above the value is taken, the value is added if it is not there, and found
//!   or taken. This is where states multiply.
//!
//! Before every change, what can be found is noted ([`super::ledger`]).

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::monitor::{Effort, Refusal};

use super::Object;
use super::ledger::{Effect, End, Ledger, NOTHING, Open};

/// The maximum number of states.
const MOST: usize = 1 << 13;

/// Everything that may have happened to a priority queue or a bag.
pub(super) struct Counted {
    /// How many of each value the operations that returned have left, where that is not 0. It may be
    /// less.
    base: FxHashMap<u32, i64>,
    /// The values of `base` by rank.
    sorted: Vec<u32>,
    states: Vec<Ledger>,
    /// The states after the return that was handled last.
    after: Vec<Ledger>,
    known: FxHashSet<Ledger>,
}

type Values = SmallVec<[u32; 4]>;

/// A return that is being handled.
struct Moment<'a> {
    base: &'a FxHashMap<u32, i64>,
    sorted: &'a [u32],
    ranks: &'a [u64],
    open: &'a Open,
}

impl Moment<'_> {
    fn rank(&self, value: u32) -> u64 {
        self.ranks[value as usize]
    }

    fn count(&self, ledger: &Ledger, value: u32) -> i64 {
        let base = self.base.get(&value).copied().unwrap_or(0);
        base + ledger.count(Effect::Added, value) as i64 - ledger.count(Effect::Taken, value) as i64
    }

    /// The values that come out first, with their rank.
    fn tops(&self, ledger: &Ledger) -> Option<(u64, Values)> {
        let mut tops: Option<(u64, Values)> = None;
        for value in ledger.each(Effect::Added).filter(|v| self.count(ledger, *v) > 0) {
            let rank = self.rank(value);
            match &mut tops {
                Some((best, values)) if *best == rank => values.push(value),
                Some((best, _)) if *best > rank => {}
                _ => tops = Some((rank, Values::from_slice(&[value]))),
            }
        }
        for &value in self.sorted.iter().rev() {
            let rank = self.rank(value);
            if tops.as_ref().is_some_and(|(best, _)| rank < *best) {
                break;
            }
            if self.count(ledger, value) <= 0 {
                continue;
            }
            match &mut tops {
                Some((best, values)) if *best == rank => values.push(value),
                _ => tops = Some((rank, Values::from_slice(&[value]))),
            }
        }
        if let Some((_, values)) = &mut tops {
            values.sort_unstable();
            values.dedup();
        }
        tops
    }

    /// Notes what can be found before a change.
    fn note(&self, ledger: &mut Ledger) {
        if self.open.finders.len() == 0 {
            return;
        }
        match self.tops(ledger) {
            None => ledger.find(NOTHING, self.open),
            Some((_, values)) if self.open.peeks.len() > 0 => {
                values.iter().for_each(|value| ledger.find(*value, self.open));
            }
            Some(_) => {}
        }
    }

    /// Open removals take everything of a higher rank; all if there is no rank. False if there are not
    /// enough of them.
    fn clear(&self, ledger: &mut Ledger, rank: Option<u64>) -> bool {
        while let Some((top, values)) = self.tops(ledger) {
            if rank.is_some_and(|rank| top <= rank) {
                break;
            }
            self.note(ledger);
            for value in values {
                for _ in 0..self.count(ledger, value) {
                    if !ledger.take(value, self.open) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// The value can be found. False if that cannot be.
    fn show(&self, ledger: &mut Ledger, value: u32) -> bool {
        if value == NOTHING {
            return self.clear(ledger, None);
        }
        if !self.clear(ledger, Some(self.rank(value))) {
            return false;
        }
        if self.count(ledger, value) > 0 {
            return true;
        }
        self.note(ledger);
        ledger.add(value, self.open)
    }

    /// The values that come out first if open removals take what is above them; some may not be there.
    fn reachable(&self, ledger: &Ledger) -> impl Iterator<Item = u32> {
        let (mut above, mut rank) = (0, u64::MAX);
        self.sorted.iter().rev().copied().take_while(move |value| {
            // Those of one rank are not above each other.
            let is_last = above > self.open.takes.len() && self.rank(*value) != rank;
            rank = self.rank(*value);
            above += self.count(ledger, *value).max(0) as usize;
            !is_last
        })
    }

    /// The values of lower rank that open operations may find before an element of this rank is there.
    fn prevented(&self, ledger: &Ledger, rank: u64) -> Values {
        let mut values: Values = self.open.adds.keys().copied().collect();
        values.extend(ledger.each(Effect::Added));
        values.extend(self.reachable(ledger));
        values.retain(|value| self.rank(*value) < rank);
        values.sort_unstable();
        values.dedup();
        values
    }

    /// The sequences that an element of this rank would prevent, from this state on.
    fn first(
        &self,
        from: Ledger,
        rank: u64,
        known: &mut FxHashSet<Ledger>,
        effort: &mut Effort<'_>,
    ) -> Result<Vec<Ledger>, Refusal> {
        let mut found = vec![from];
        if self.open.takes.live() == 0 && self.open.peeks.len() == 0 {
            return Ok(found);
        }
        known.clear();
        known.insert(found[0].clone());
        let mut at = 0;
        while at < found.len() {
            let values = self.prevented(&found[at], rank);
            for value in values.into_iter().chain([NOTHING]) {
                effort.work(64 + self.open.takes.len())?;
                let mut shown = found[at].clone();
                if !self.show(&mut shown, value) {
                    continue;
                }
                let mut taken = shown.clone();
                self.note(&mut taken);
                if value != NOTHING && taken.take(value, self.open) && known.insert(taken.clone()) {
                    found.push(taken);
                }
                let is_found = value == NOTHING || self.open.peeks.len() > 0;
                if is_found && known.insert(shown.clone()) {
                    found.push(shown);
                }
                if found.len() > MOST {
                    return Err(Refusal::new("too many orders are possible"));
                }
            }
            at += 1;
        }
        Ok(found)
    }
}

impl Counted {
    pub(super) fn new() -> Counted {
        Counted {
            base: FxHashMap::default(),
            sorted: Vec::new(),
            states: vec![Ledger::default()],
            after: Vec::new(),
            known: FxHashSet::default(),
        }
    }

    fn shift(&mut self, value: u32, by: i64, ranks: &[u64]) {
        let count = self.base.entry(value).or_insert(0);
        let was = *count;
        *count += by;
        let key = |value: u32| (ranks[value as usize], value);
        let at = self.sorted.partition_point(|other| key(*other) < key(value));
        if was == 0 {
            self.sorted.insert(at, value);
        } else if *count == 0 {
            self.base.remove(&value);
            self.sorted.remove(at);
        }
    }

    fn step(
        &mut self,
        end: End,
        call: u64,
        open: &Open,
        ranks: &[u64],
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let moment = Moment { base: &self.base, sorted: &self.sorted, ranks, open };
        self.after.clear();
        for before in &self.states {
            effort.work(64 + open.takes.len())?;
            let Some((mut ledger, has_happened)) = before.after(end, call, open) else { continue };
            if has_happened {
                self.after.push(ledger);
                continue;
            }
            match end {
                End::Added(value) => {
                    let rank = moment.rank(value);
                    for mut first in moment.first(ledger, rank, &mut self.known, effort)? {
                        moment.note(&mut first);
                        self.after.push(first);
                    }
                }
                End::Found(value) if value != NOTHING && moment.count(&ledger, value) <= 0 => {
                    let rank = moment.rank(value);
                    for mut first in moment.first(ledger, rank, &mut self.known, effort)? {
                        if moment.show(&mut first, value) {
                            self.after.push(first);
                        }
                    }
                }
                End::Took(value) | End::Found(value) => {
                    if !moment.show(&mut ledger, value) {
                        continue;
                    }
                    if matches!(end, End::Took(value) if value != NOTHING) {
                        moment.note(&mut ledger);
                    }
                    self.after.push(ledger);
                }
            }
        }
        distinct(&mut self.after);
        match self.after.len() > MOST {
            true => Err(Refusal::new("too many orders are possible")),
            false => Ok(()),
        }
    }
}

fn distinct(states: &mut Vec<Ledger>) {
    if states.len() > 1 {
        let mut known = FxHashSet::default();
        states.retain(|ledger| known.insert(ledger.clone()));
    }
}

impl Object for Counted {
    fn can_end(
        &mut self,
        end: End,
        call: u64,
        open: &Open,
        ranks: &[u64],
        effort: &mut Effort<'_>,
    ) -> Result<bool, Refusal> {
        self.step(end, call, open, ranks, effort)?;
        Ok(!self.after.is_empty())
    }

    fn end(&mut self, end: End, _call: u64, _now: u64, ranks: &[u64]) {
        std::mem::swap(&mut self.states, &mut self.after);
        match end {
            End::Added(value) => self.shift(value, 1, ranks),
            End::Took(value) if value != NOTHING => self.shift(value, -1, ranks),
            _ => {}
        }
    }

    fn settle(&mut self, open: &Open) -> bool {
        let mut states = self.states.clone();
        states.retain_mut(|ledger| ledger.settle(open));
        distinct(&mut states);
        if states.is_empty() {
            return false;
        }
        self.states = states;
        true
    }

    fn likely(&mut self, open: &Open, ranks: &[u64], effort: &mut Effort<'_>) -> (Vec<u32>, bool) {
        let moment = Moment { base: &self.base, sorted: &self.sorted, ranks, open };
        let mut likely: Vec<u32> = Vec::new();
        for ledger in &self.states {
            let before = likely.len();
            likely.extend(ledger.values());
            likely.extend(moment.reachable(ledger));
            if effort.work(8 * (likely.len() - before)).is_err() {
                return (likely, false);
            }
        }
        (likely, true)
    }

    fn contents(&self, ranks: &[u64]) -> Vec<u32> {
        let open = Open::default();
        let moment = Moment { base: &self.base, sorted: &self.sorted, ranks, open: &open };
        let Some(ledger) = self.states.first() else { return Vec::new() };
        let mut values: Vec<u32> = self.sorted.clone();
        values.extend(ledger.each(Effect::Added));
        values.sort_unstable();
        values.dedup();
        let many = |value: u32| (0..moment.count(ledger, value)).map(move |_| value);
        values.into_iter().flat_map(many).collect()
    }

    fn is_clear(&self) -> bool {
        self.base.is_empty() && matches!(self.states.as_slice(), [ledger] if ledger.is_empty())
    }

    fn stored(&self) -> usize {
        let ledgers: usize = self.states.iter().map(|ledger| 1 + ledger.stored()).sum();
        ledgers + self.base.len()
    }

    fn is_large(&self) -> bool {
        false
    }

    fn sweep(&mut self, used: &mut dyn FnMut(u32), _: &mut Effort<'_>) -> Result<(), Refusal> {
        self.sorted.iter().for_each(|value| used(*value));
        self.states.iter().flat_map(Ledger::values).for_each(used);
        Ok(())
    }
}
