//! Seeded random histories: runs of an atomic object, then damaged a little.
//!
//! A simulated scheduler lets a few processes call operations, apply them atomically at some moment
//! while they are open, and return. Such a history is linearizable. Then it may be damaged: results
//! are swapped or replaced, returns are lost, intervals stretched or shrunk, clocks made so coarse
//! that events share a reading, hints corrupted. The result depends only on the seed and the index
//! of the case.

use linpoint::Hints;
use linpoint::history::{Extras, OrderHint, Ties};
use linpoint::spec::Spec;

use crate::draft::{Draft, Row};
use crate::runner::Case;
use crate::vocabulary::Vocabulary;
use crate::{Rng, rng_of_case};

/// Parameters of random histories. All shares are probabilities.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Params {
    /// Minimum number of operations. A blocking object may get stuck and leave fewer.
    pub min_ops: usize,
    /// Maximum number of operations.
    pub max_ops: usize,
    /// Maximum number of processes.
    pub max_processes: usize,
    /// Nothing returns until this many operations have been called, each by a process of its own.
    pub crowd: usize,
    /// Share of operations that never return (before and apart from damage); in some histories four
    /// times as many.
    pub pending: f64,
    /// Share of the completed operations whose result is unknown.
    pub unknown: f64,
    /// Share of the histories that are damaged.
    pub damaged: f64,
    /// Share of the histories with a coarse clock.
    pub coarse: f64,
    /// Share of the histories with hints; most of them assert the hints.
    pub hinted: f64,
    /// Share of the histories with two objects.
    pub two_objects: f64,
    /// Share of the histories that use each operation that adds a value at most once.
    pub distinct: f64,
    /// Share of the histories that name processes.
    pub processes_named: f64,
}

impl Params {
    /// Histories that the oracle can decide.
    pub fn small() -> Self {
        Params {
            min_ops: 1,
            max_ops: 8,
            max_processes: 5,
            crowd: 0,
            pending: 0.1,
            unknown: 0.05,
            damaged: 0.75,
            coarse: 0.25,
            hinted: 0.25,
            two_objects: 0.1,
            distinct: 0.4,
            processes_named: 0.5,
        }
    }

    /// Histories too large for the oracle, for engines against each other.
    pub fn large() -> Self {
        Params { min_ops: 10, max_ops: 40, damaged: 0.4, pending: 0.04, ..Params::small() }
    }

    /// Histories in which more operations are open together than a machine word has bits. Engines
    /// can decide them because most of the operations are equal or read.
    pub fn crowded() -> Self {
        Params {
            min_ops: 85,
            max_ops: 110,
            crowd: 80,
            damaged: 0.3,
            unknown: 0.01,
            pending: 0.02,
            distinct: 0.0,
            ..Params::small()
        }
    }
}

/// The cases `0..count` of a seed.
pub fn cases<S: Spec>(
    vocabulary: &Vocabulary<S>,
    params: Params,
    seed: u64,
    count: u64,
) -> impl Iterator<Item = Case<S>> {
    (0..count).map(move |index| case(vocabulary, params, seed, index))
}

/// One case of a seed.
pub fn case<S: Spec>(vocabulary: &Vocabulary<S>, params: Params, seed: u64, index: u64) -> Case<S> {
    let mut rng = rng_of_case(seed, index);
    let mut draft = Simulation::new(vocabulary, params, &mut rng).run();
    let hints = if rng.f64() >= params.hinted {
        for row in &mut draft.rows {
            row.extras.hint = None;
        }
        Hints::Ignore
    } else {
        degrade_hints(&mut draft, &mut rng);
        if rng.f64() < 0.7 { Hints::Assert } else { Hints::Order }
    };
    if rng.f64() < params.coarse {
        coarsen(&mut draft, &mut rng);
    }
    if rng.f64() < params.damaged {
        // Most damage makes no difference, so there has to be some. A few random results almost
        // always make a difference.
        if rng.f64() < 0.4 {
            randomise(&mut draft, vocabulary, &mut rng);
        }
        for _ in 0..rng.usize(1..=1 + (draft.rows.len() / 2).min(4)) {
            damage(&mut draft, vocabulary, &mut rng);
        }
    }
    for row in &mut draft.rows {
        if row.end.is_some() && rng.f64() < params.unknown {
            row.ret = None;
        }
    }
    if rng.f64() >= params.processes_named {
        for row in &mut draft.rows {
            row.extras.process = None;
        }
    }
    // Nothing may depend on operations being listed in the order of their calls.
    if rng.f64() < 0.3 {
        rng.shuffle(&mut draft.rows);
    }
    Case { history: draft.build(), hints, ties: draft.tied(), origin: Some((seed, index)) }
}

/// Some operations have no hint, some share a position, some have a wrong one.
fn degrade_hints<O, R>(draft: &mut Draft<O, R>, rng: &mut Rng) {
    let (lost, coarse, wrong) = (rng.bool(), rng.f64() < 0.3, rng.f64() < 0.4);
    let by_object = rng.bool();
    // Positions of completed operations soon determine the whole order; so sometimes only pending
    // ones have any, and then there are more of them.
    let only_pending = rng.f64() < 0.3;
    let wrong = wrong || (only_pending && rng.bool());
    let positions = draft.rows.len().max(1);
    for row in &mut draft.rows {
        let object = row.extras.object.unwrap_or(0);
        if only_pending && rng.f64() < 0.35 {
            (row.end, row.ret) = (None, None);
        }
        let Some(hint) = &mut row.extras.hint else { continue };
        if by_object {
            hint.scope = object;
        }
        if coarse {
            hint.position /= 2;
        }
        if wrong && rng.f64() < 0.2 {
            hint.position = rng.usize(..positions) as u64;
        }
        if (lost && rng.f64() < 0.3) || (only_pending && row.end.is_some()) {
            row.extras.hint = None;
        }
    }
    // A wrong position that another operation correctly has is harder to notice, especially between
    // pending operations, which need not take effect.
    if wrong {
        let pending = rng.bool();
        let fits = |row: &Row<O, R>| row.extras.hint.is_some() && (!pending || row.end.is_none());
        let mut rows: Vec<usize> =
            (0..draft.rows.len()).filter(|&i| fits(&draft.rows[i])).collect();
        rng.shuffle(&mut rows);
        if let [i, j, ..] = rows[..] {
            let hint = draft.rows[i].extras.hint;
            draft.rows[i].extras.hint = std::mem::replace(&mut draft.rows[j].extras.hint, hint);
        }
    }
}

/// Readings lose their low digits; either policy may be in force.
fn coarsen<O, R>(draft: &mut Draft<O, R>, rng: &mut Rng) {
    let unit = rng.usize(2..=4) as u64;
    for row in &mut draft.rows {
        row.start /= unit;
        row.end = row.end.map(|end| end / unit);
    }
    draft.ties = if rng.bool() { Ties::Ordered } else { Ties::Concurrent };
}

/// Some results become random: almost half of them in a small history, about three in a large one,
/// where a single wrong one suffices and should not be too easy to find.
fn randomise<S: Spec>(draft: &mut Draft<S::Op, S::Ret>, words: &Vocabulary<S>, rng: &mut Rng) {
    let share = (3.0 / draft.rows.len() as f64).min(0.4);
    for row in &mut draft.rows {
        if row.end.is_some()
            && rng.f64() < share
            && let Some(ret) = rng.choice(words.results(&row.op))
        {
            row.ret = Some(ret.clone());
        }
    }
}

/// One thing goes wrong.
fn damage<S: Spec>(draft: &mut Draft<S::Op, S::Ret>, vocabulary: &Vocabulary<S>, rng: &mut Rng) {
    let n = draft.rows.len();
    if n == 0 {
        return;
    }
    let latest = draft.rows.iter().map(|r| r.end.unwrap_or(r.start)).max().unwrap_or(0);
    let i = rng.usize(..n);
    match rng.usize(..10) {
        // Another result, mostly a wrong one.
        0..=3 => {
            if draft.rows[i].end.is_some()
                && let Some(ret) = rng.choice(vocabulary.results(&draft.rows[i].op))
            {
                draft.rows[i].ret = Some(ret.clone());
            }
        }
        // Two operations of one kind (judging by their possible results) swap results.
        4..=5 => {
            let j = rng.usize(..n);
            let results = |k: usize| vocabulary.results(&draft.rows[k].op);
            if i != j
                && results(i) == results(j)
                && draft.rows[i].end.is_some()
                && draft.rows[j].end.is_some()
            {
                let ret = draft.rows[i].ret.take();
                draft.rows[i].ret = std::mem::replace(&mut draft.rows[j].ret, ret);
            }
        }
        // The return is lost.
        6 => {
            draft.rows[i].end = None;
            draft.rows[i].ret = None;
        }
        // The interval grows or shrinks.
        7 => {
            let row = &mut draft.rows[i];
            row.start -= rng.usize(..row.start as usize + 1) as u64;
            row.end = row.end.map(|end| end + rng.usize(0..=6) as u64);
        }
        8 => {
            let row = &mut draft.rows[i];
            if let Some(end) = row.end {
                row.start = rng.usize(row.start as usize..=end as usize) as u64;
                row.end = Some(rng.usize(row.start as usize..=end as usize) as u64);
            }
        }
        // The operation moves somewhere else.
        _ => {
            let row = &mut draft.rows[i];
            let length = row.end.map(|end| end - row.start);
            row.start = rng.usize(0..=latest as usize) as u64;
            row.end = length.map(|length| row.start + length);
        }
    }
}

/// An operation in progress.
struct Open {
    row: usize,
    applied: bool,
}

/// Processes that use atomic objects.
struct Simulation<'a, S: Spec> {
    vocabulary: &'a Vocabulary<S>,
    rng: &'a mut Rng,
    params: Params,
    draft: Draft<S::Op, S::Ret>,
    open: Vec<Option<Open>>,
    states: Vec<S::State>,
    used: Vec<bool>,
    distinct: bool,
    clock: u64,
    effects: u64,
}

impl<'a, S: Spec> Simulation<'a, S> {
    fn new(vocabulary: &'a Vocabulary<S>, mut params: Params, rng: &'a mut Rng) -> Self {
        // Occasionally there are many objects, which must be distinguished and counted.
        if rng.f64() < 0.15 {
            params.pending *= 4.0;
        }
        let objects = if rng.f64() < params.two_objects { 2 } else { 1 };
        let processes = rng.usize(1..=params.max_processes).max(params.crowd);
        Simulation {
            vocabulary,
            params,
            draft: Draft::new(),
            open: (0..processes).map(|_| None).collect(),
            states: (0..objects).map(|_| vocabulary.spec.initial()).collect(),
            used: vec![false; vocabulary.words.len()],
            distinct: rng.f64() < params.distinct,
            clock: 0,
            effects: 0,
            rng,
        }
    }

    fn run(mut self) -> Draft<S::Op, S::Ret> {
        // The larger of two draws: small histories are soon exhausted.
        let mut draw = || self.rng.usize(self.params.min_ops..=self.params.max_ops);
        let ops = draw().max(draw());
        // How soon processes continue: small means much overlap.
        let haste = [0.2, 0.6, 1.0][self.rng.usize(..3)];
        // A stuck blocking object must not keep the loop alive.
        for _ in 0..40 * ops {
            let process = self.rng.usize(..self.open.len());
            match self.open[process].take() {
                None if self.draft.rows.len() < ops => self.call(process),
                None => {}
                Some(mut open) => {
                    if !open.applied {
                        open.applied = self.apply(open.row);
                    } else if self.draft.rows.len() >= self.params.crowd.min(ops)
                        && self.rng.f64() < haste
                    {
                        self.finish(open.row);
                        continue;
                    }
                    self.open[process] = Some(open);
                }
            }
            if self.draft.rows.len() == ops && self.open.iter().all(Option::is_none) {
                break;
            }
        }
        // Whatever is still open never returns, applied or not.
        for row in &mut self.draft.rows {
            if row.end.is_none() {
                row.ret = None;
            }
        }
        self.draft
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock - 1
    }

    fn call(&mut self, process: usize) {
        let words = &self.vocabulary.words;
        // As many operations that add a value as others, however many words there are of each.
        let adds = self.rng.bool();
        let both = words.iter().any(|w| w.once) && words.iter().any(|w| !w.once);
        let fits = |&i: &usize| {
            (!both || words[i].once == adds) && !(self.distinct && words[i].once && self.used[i])
        };
        let mut choices: Vec<usize> = (0..words.len()).filter(fits).collect();
        let object = (self.states.len() > 1).then(|| self.rng.usize(..2) as u32);
        // Callers mostly call what is enabled; otherwise those of a lock would soon all be waiting.
        if self.rng.f64() < 0.8 {
            let state = &self.states[object.unwrap_or(0) as usize];
            let able = |&i: &usize| !self.outcomes(state, &words[i].op).is_empty();
            let enabled: Vec<usize> = choices.iter().copied().filter(able).collect();
            choices = if enabled.is_empty() { choices } else { enabled };
        }
        let Some(&word) = self.rng.choice(&choices) else { return };
        self.used[word] = true;
        let row = self.draft.rows.len();
        let start = self.tick();
        self.draft.rows.push(Row {
            op: words[word].op.clone(),
            ret: None,
            start,
            end: None,
            extras: Extras { process: Some(process as u32), object, hint: None },
        });
        // A lost operation frees its process; it may have been applied, now or never.
        if self.rng.f64() < self.params.pending {
            if self.rng.f64() < 0.6 {
                self.apply(row);
            }
        } else {
            self.open[process] = Some(Open { row, applied: false });
        }
    }

    /// Applies an operation if it is enabled.
    fn apply(&mut self, row: usize) -> bool {
        let op = self.draft.rows[row].op.clone();
        let object = self.draft.rows[row].extras.object.unwrap_or(0) as usize;
        let outcomes = self.outcomes(&self.states[object], &op);
        let Some((ret, state)) = self.rng.choice(&outcomes).cloned() else { return false };
        self.states[object] = state;
        self.draft.rows[row].ret = Some(ret);
        let position = self.effects;
        self.effects += 1;
        self.draft.rows[row].extras.hint = Some(OrderHint { scope: 0, position });
        true
    }

    /// All results with their states; drawn from the plausible results if the spec cannot enumerate
    /// them.
    fn outcomes(&self, state: &S::State, op: &S::Op) -> Vec<(S::Ret, S::State)> {
        let spec = &self.vocabulary.spec;
        let mut out = Vec::new();
        if spec.outcomes(state, op, &mut out) {
            return out;
        }
        for ret in self.vocabulary.results(op) {
            let mut next = Vec::new();
            spec.successors(state, op, Some(ret), &mut next);
            out.extend(next.into_iter().map(|state| (ret.clone(), state)));
        }
        out
    }

    fn finish(&mut self, row: usize) {
        let end = self.tick();
        self.draft.rows[row].end = Some(end);
    }
}
