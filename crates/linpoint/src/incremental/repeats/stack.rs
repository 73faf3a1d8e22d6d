//! Stacks: all contents that are possible, as decision diagrams.
//!
//! The argument is that of `monitor/stack/repeats/step.rs`, for operations whose results are not known
//! yet. When an operation `x` returns that has not taken effect, open operations may have to come first:
//! pops, then pushes, then `x`. Other sequences need not be tried, since whatever is still open can come
//! after `x` as well unless `x` needs it:
//!
//! * A push that is popped again before `x` can move behind `x`, with its pop and all between them. So
//!   pops come first.
//! * If `x` is a pop, there are no pushes, with one exception: it pops what has just been pushed. Then the
//!   two come first, and the rest later.
//! * A push that crashed comes just before something that finds its element. A pop that crashed comes
//!   just before something that finds what was below. So neither has to precede a push unless a
//!   peek, or for pops another pop, is open.
//!
//! A state is a ledger and a set of words. Its ledger determines how much was pushed and popped, so all of
//! its words have the same length.
//!
//! Time: for k open pushes there may be 2^k ledgers, so more than [`MOST`] of them are refused.

use rustc_hash::FxHashMap;

use crate::monitor::{EMPTY_STACK, Effort, Refusal, Set, Words};

use super::Object;
use super::ledger::{End, Ledger, NOTHING, Open};

/// The maximum number of states.
const MOST: usize = 1 << 13;

/// States with different ledgers.
#[derive(Default)]
struct Layer {
    states: Vec<(Ledger, Set)>,
    /// Where each ledger is, once there are many.
    places: FxHashMap<Ledger, usize>,
}

/// So many states are searched one by one.
const FEW: usize = 8;

impl Layer {
    fn clear(&mut self) {
        self.states.clear();
        self.places.clear();
    }

    fn place(&self, ledger: &Ledger) -> Option<usize> {
        match self.states.len() {
            0..=FEW => self.states.iter().position(|(other, _)| other == ledger),
            _ => self.places.get(ledger).copied(),
        }
    }

    /// Adds a state, or its words to those of the same ledger.
    fn add(
        &mut self,
        ledger: Ledger,
        set: Set,
        words: &mut Words,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        effort.work(8)?;
        if let Some(at) = self.place(&ledger) {
            let known = &mut self.states[at].1;
            *known = words.union(*known, set, effort)?;
            return Ok(());
        }
        if self.states.len() >= MOST {
            return Err(Refusal::new("too many orders are possible"));
        }
        self.states.push((ledger, set));
        match self.states.len() {
            0..=FEW => {}
            len if len == FEW + 1 => {
                let states = self.states.iter().enumerate();
                self.places.extend(states.map(|(at, (ledger, _))| (ledger.clone(), at)));
            }
            len => drop(self.places.insert(self.states[len - 1].0.clone(), len - 1)),
        }
        Ok(())
    }
}

/// Layers by the number of effects in their ledgers: states only lead to later layers, so each is
/// complete when its turn comes.
#[derive(Default)]
struct Layers(Vec<Layer>);

impl Layers {
    fn of(&mut self, ledger: &Ledger) -> &mut Layer {
        let level = ledger.level();
        if self.0.len() <= level {
            self.0.resize_with(level + 1, Layer::default);
        }
        &mut self.0[level]
    }
}

/// Everything that a stack may contain.
pub(super) struct Stack {
    states: Vec<(Ledger, Set)>,
    words: Words,
    /// States on the way to the return, without and with pushes, and those after it. Empty in between.
    pops: Layers,
    pushes: Layers,
    after: Layer,
}

impl Stack {
    pub(super) fn new() -> Stack {
        Stack {
            states: vec![(Ledger::default(), EMPTY_STACK)],
            words: Words::new(),
            pops: Layers::default(),
            pushes: Layers::default(),
            after: Layer::default(),
        }
    }

    /// Finds the states after a return.
    fn step(
        &mut self,
        end: End,
        call: u64,
        open: &Open,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        self.pops.0.iter_mut().chain(&mut self.pushes.0).for_each(Layer::clear);
        self.after.clear();
        for at in 0..self.states.len() {
            let (before, set) = &self.states[at];
            let set = *set;
            effort.work(8)?;
            let Some((ledger, has_happened)) = before.after(end, call, open) else { continue };
            if has_happened {
                self.arrive(ledger, set, effort)?;
                continue;
            }
            if let End::Took(value) = end {
                // What has just been pushed.
                let mut ledger = ledger.clone();
                if value != NOTHING && ledger.add(value, open) {
                    ledger.find(value, open);
                    self.arrive(ledger, set, effort)?;
                }
            }
            self.pops.of(&ledger).add(ledger, set, &mut self.words, effort)?;
        }
        let mut level = 0;
        while level < self.pops.0.len() {
            let states = std::mem::take(&mut self.pops.0[level].states);
            for (ledger, set) in states {
                self.pop(end, &ledger, set, open, effort)?;
            }
            level += 1;
        }
        let mut level = 0;
        while level < self.pushes.0.len() {
            let states = std::mem::take(&mut self.pushes.0[level].states);
            for (ledger, set) in states {
                self.push(end, &ledger, set, open, effort)?;
            }
            level += 1;
        }
        Ok(())
    }

    /// Adds a state after the return.
    fn arrive(
        &mut self,
        mut ledger: Ledger,
        set: Set,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        match self.words.tops(set) {
            [] => ledger.forget(NOTHING),
            [(top, _)] => ledger.forget(*top),
            _ => {}
        }
        self.after.add(ledger, set, &mut self.words, effort)
    }

    /// The operation returns now, or something is popped first, or pushed.
    fn pop(
        &mut self,
        end: End,
        ledger: &Ledger,
        set: Set,
        open: &Open,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let Some(set) = self.finish(end, ledger, set, open, effort)? else { return Ok(()) };
        let is_add = matches!(end, End::Added(_));
        if !is_add || open.takes.live() > 0 || open.peeks.len() > 0 {
            for i in 0..self.words.tops(set).len() {
                let (top, below) = self.words.tops(set)[i];
                let mut ledger = ledger.clone();
                if !ledger.take(top, open) {
                    break;
                }
                ledger.find(top, open);
                self.pops.of(&ledger).add(ledger, below, &mut self.words, effort)?;
            }
        }
        let needs_pushes = match end {
            End::Added(_) => true,
            End::Found(value) => open.adds.contains_key(&value),
            End::Took(_) => false,
        };
        if needs_pushes {
            self.pushes.of(ledger).add(ledger.clone(), set, &mut self.words, effort)?;
        }
        Ok(())
    }

    /// Lets a pop or a peek that fits take effect now. Returns the words where it does not fit.
    fn finish(
        &mut self,
        end: End,
        ledger: &Ledger,
        set: Set,
        open: &Open,
        effort: &mut Effort<'_>,
    ) -> Result<Option<Set>, Refusal> {
        let value = match end {
            End::Added(_) => return Ok(Some(set)),
            End::Took(NOTHING) | End::Found(NOTHING) if set == EMPTY_STACK => {
                self.arrive(ledger.clone(), set, effort)?;
                return Ok(None);
            }
            End::Took(value) | End::Found(value) => value,
        };
        let Some(below) = self.words.below(set, value) else { return Ok(Some(set)) };
        let mut ledger = ledger.clone();
        match end {
            End::Took(_) => {
                ledger.find(value, open);
                self.arrive(ledger, below, effort)?;
            }
            _ => {
                let found = self.words.push(value, below, effort)?;
                self.arrive(ledger, found, effort)?;
            }
        }
        let mut rest = self.words.tops(set).to_vec();
        rest.retain(|(top, _)| *top != value);
        if rest.is_empty() {
            return Ok(None);
        }
        self.words.node(&rest, effort).map(Some)
    }

    /// The operation returns now, or something is pushed first.
    fn push(
        &mut self,
        end: End,
        ledger: &Ledger,
        set: Set,
        open: &Open,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let Some(set) = self.finish(end, ledger, set, open, effort)? else { return Ok(()) };
        for (ledger, set) in self.found(ledger, set, open, effort)? {
            if let End::Added(value) = end {
                let set = self.words.push(value, set, effort)?;
                self.arrive(ledger.clone(), set, effort)?;
            }
            for (&value, calls) in &open.adds {
                effort.work(4)?;
                // One that crashed comes last, and only if something finds its element.
                let done = ledger.count(super::ledger::Effect::Added, value);
                let is_wanted = done < calls.live() || open.peeks.len() > 0;
                let mut ledger = ledger.clone();
                if (is_wanted || end == End::Found(value)) && ledger.add(value, open) {
                    let set = self.words.push(value, set, effort)?;
                    self.pushes.of(&ledger).add(ledger, set, &mut self.words, effort)?;
                }
            }
        }
        Ok(())
    }

    /// What can be found before a push. The words are separated by what that is, if it matters.
    fn found(
        &mut self,
        ledger: &Ledger,
        set: Set,
        open: &Open,
        effort: &mut Effort<'_>,
    ) -> Result<Vec<(Ledger, Set)>, Refusal> {
        let mut ledger = ledger.clone();
        if set == EMPTY_STACK {
            ledger.find(NOTHING, open);
        }
        if set == EMPTY_STACK || open.peeks.len() == 0 {
            return Ok(vec![(ledger, set)]);
        }
        let mut found = Vec::new();
        for i in 0..self.words.tops(set).len() {
            let (top, below) = self.words.tops(set)[i];
            let mut ledger = ledger.clone();
            ledger.find(top, open);
            found.push((ledger, self.words.push(top, below, effort)?));
        }
        Ok(found)
    }
}

impl Object for Stack {
    fn can_end(
        &mut self,
        end: End,
        call: u64,
        open: &Open,
        _ranks: &[u64],
        effort: &mut Effort<'_>,
    ) -> Result<bool, Refusal> {
        self.step(end, call, open, effort)?;
        Ok(!self.after.states.is_empty())
    }

    fn end(&mut self, _end: End, _call: u64, _now: u64, _ranks: &[u64]) {
        std::mem::swap(&mut self.states, &mut self.after.states);
    }

    fn settle(&mut self, open: &Open) -> bool {
        let mut states = self.states.clone();
        states.retain_mut(|(ledger, _)| ledger.settle(open));
        if states.is_empty() {
            return false;
        }
        // Two may have become equal. They stay apart until the next return.
        self.states = states;
        true
    }

    fn likely(&mut self, open: &Open, _ranks: &[u64], effort: &mut Effort<'_>) -> (Vec<u32>, bool) {
        let mut likely: Vec<u32> = Vec::new();
        let mut layer: Vec<Set> = Vec::new();
        for (ledger, set) in &self.states {
            likely.extend(ledger.values());
            layer.push(*set);
        }
        for _ in 0..=open.takes.len() {
            layer.sort_unstable();
            layer.dedup();
            if effort.work(8 * layer.len()).is_err() {
                return (likely, false);
            }
            let tops = layer.iter().flat_map(|set| self.words.tops(*set));
            let (values, below): (Vec<u32>, Vec<Set>) = tops.copied().unzip();
            likely.extend(values);
            layer = below;
        }
        (likely, true)
    }

    fn contents(&self, _ranks: &[u64]) -> Vec<u32> {
        let mut contents = Vec::new();
        let mut set = self.states.first().map_or(EMPTY_STACK, |(_, set)| *set);
        while let Some(&(top, below)) = self.words.tops(set).first() {
            contents.push(top);
            set = below;
        }
        contents.reverse();
        contents
    }

    fn is_clear(&self) -> bool {
        matches!(self.states.as_slice(), [(ledger, EMPTY_STACK)] if ledger.is_empty())
    }

    fn stored(&self) -> usize {
        let ledgers: usize = self.states.iter().map(|(ledger, _)| 1 + ledger.stored()).sum();
        ledgers + self.words.len()
    }

    fn is_large(&self) -> bool {
        self.words.is_large()
    }

    fn sweep(&mut self, used: &mut dyn FnMut(u32), effort: &mut Effort<'_>) -> Result<(), Refusal> {
        let states = &mut self.states;
        self.words.sweep(&mut |visit| states.iter_mut().for_each(|(_, set)| visit(set)), effort)?;
        self.words.each_value(&mut *used);
        self.states.iter().flat_map(|(ledger, _)| ledger.values()).for_each(used);
        Ok(())
    }
}
