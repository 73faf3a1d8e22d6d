//! Changes to a history whose effect on the verdict is known without deciding it.
//!
//! They need no oracle, so they test engines on histories of any size. They also test the oracle,
//! which could have the same bug as the engines.
//!
//! Why the laws hold. Widening, forgetting a result, losing a return, forgetting a hint and adding
//! a pending operation each only remove constraints: the order that was legal still is. A prefix of
//! a history has the shortest prefix of the legal order that contains all its completed operations:
//! it contains nothing that was called later, because that would have to come after them. Two
//! copies on two objects are independent. Renaming and renumbering change nothing that a checker
//! may depend on.

use linpoint::Hints;
use linpoint::history::{Extras, OrderHint};
use linpoint::spec::Spec;

use crate::Rng;
use crate::draft::{Draft, Row};
use crate::oracle::prefix;
use crate::runner::{Answer, Candidate, Case};

/// The effect of a transformation on the verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Law {
    /// A linearizable history stays linearizable.
    KeepsYes,
    /// A history that is not linearizable stays so.
    KeepsNo,
    /// Both.
    KeepsVerdict,
}

impl Law {
    /// True if the verdicts before and after (true: linearizable) obey the law.
    pub fn allows(self, before: bool, after: bool) -> bool {
        match self {
            Law::KeepsYes => !before || after,
            Law::KeepsNo => before || !after,
            Law::KeepsVerdict => before == after,
        }
    }
}

/// Changes a draft that was made from a history (its readings are ranks). `None` if there is
/// nothing to change.
pub type Change<O, R> = fn(Draft<O, R>, &mut Rng) -> Option<Draft<O, R>>;

/// A change to a history, with its law.
pub struct Transformation<O, R> {
    /// For reports.
    pub name: &'static str,
    /// Its effect on the verdict, whether hints are asserted or not.
    pub law: Law,
    /// The change.
    pub apply: Change<O, R>,
}

/// All transformations.
pub fn transformations<O: Clone, R: Clone>() -> Vec<Transformation<O, R>> {
    let t = |name, law, apply: Change<O, R>| Transformation { name, law, apply };
    vec![
        t("widen an interval", Law::KeepsYes, widen),
        t("forget a result", Law::KeepsYes, forget_result),
        t("lose a return", Law::KeepsYes, lose_return),
        t("forget a hint", Law::KeepsYes, forget_hint),
        t("add a pending operation", Law::KeepsYes, add_pending),
        t("merge two neighbouring readings", Law::KeepsYes, merge_readings),
        t("cut the history short", Law::KeepsYes, cut),
        t("narrow an interval", Law::KeepsNo, narrow),
        t("remove a pending operation", Law::KeepsNo, remove_pending),
        t("shuffle the columns", Law::KeepsVerdict, shuffle),
        t("rename the processes", Law::KeepsVerdict, rename_processes),
        t("rename the objects", Law::KeepsVerdict, rename_objects),
        t("spread the hints", Law::KeepsVerdict, spread_hints),
        t("pause in the middle", Law::KeepsVerdict, pause),
        t("do it all on a second object too", Law::KeepsVerdict, double),
    ]
}

fn some_row<'d, O, R>(
    draft: &'d mut Draft<O, R>,
    rng: &mut Rng,
    fits: impl Fn(&Row<O, R>) -> bool,
) -> Option<&'d mut Row<O, R>> {
    let fitting: Vec<usize> = (0..draft.rows.len()).filter(|&i| fits(&draft.rows[i])).collect();
    let &i = rng.choice(&fitting)?;
    Some(&mut draft.rows[i])
}

fn widen<O, R>(mut draft: Draft<O, R>, rng: &mut Rng) -> Option<Draft<O, R>> {
    let row = some_row(&mut draft, rng, |_| true)?;
    row.start -= rng.usize(0..=row.start as usize) as u64;
    row.end = row.end.map(|end| end + rng.usize(0..=8) as u64);
    Some(draft)
}

fn narrow<O, R>(mut draft: Draft<O, R>, rng: &mut Rng) -> Option<Draft<O, R>> {
    let row = some_row(&mut draft, rng, |row| row.end.is_some())?;
    let end = row.end?;
    row.start = rng.usize(row.start as usize..=end as usize) as u64;
    row.end = Some(rng.usize(row.start as usize..=end as usize) as u64);
    Some(draft)
}

fn forget_result<O, R>(mut draft: Draft<O, R>, rng: &mut Rng) -> Option<Draft<O, R>> {
    some_row(&mut draft, rng, |row| row.ret.is_some())?.ret = None;
    Some(draft)
}

fn lose_return<O, R>(mut draft: Draft<O, R>, rng: &mut Rng) -> Option<Draft<O, R>> {
    let row = some_row(&mut draft, rng, |row| row.end.is_some())?;
    (row.end, row.ret) = (None, None);
    Some(draft)
}

fn forget_hint<O, R>(mut draft: Draft<O, R>, rng: &mut Rng) -> Option<Draft<O, R>> {
    some_row(&mut draft, rng, |row| row.extras.hint.is_some())?.extras.hint = None;
    Some(draft)
}

fn add_pending<O: Clone, R: Clone>(mut draft: Draft<O, R>, rng: &mut Rng) -> Option<Draft<O, R>> {
    let mut row = some_row(&mut draft, rng, |_| true)?.clone();
    (row.end, row.ret, row.extras.process) = (None, None, None);
    let at = rng.usize(0..=draft.rows.len());
    draft.rows.insert(at, row);
    Some(draft)
}

fn remove_pending<O, R>(mut draft: Draft<O, R>, rng: &mut Rng) -> Option<Draft<O, R>> {
    let pending: Vec<usize> =
        (0..draft.rows.len()).filter(|&i| draft.rows[i].end.is_none()).collect();
    let &i = rng.choice(&pending)?;
    draft.rows.remove(i);
    Some(draft)
}

/// Under the policy that equal readings are concurrent, which drafts of histories have.
fn merge_readings<O, R>(mut draft: Draft<O, R>, rng: &mut Rng) -> Option<Draft<O, R>> {
    let at = some_row(&mut draft, rng, |row| row.start > 0)?.start;
    let earlier = |t: u64| if t >= at { t - 1 } else { t };
    for row in &mut draft.rows {
        row.start = earlier(row.start);
        row.end = row.end.map(earlier);
    }
    Some(draft)
}

fn cut<O: Clone, R: Clone>(draft: Draft<O, R>, rng: &mut Rng) -> Option<Draft<O, R>> {
    let history = draft.build();
    let spans = history.ids().map(|id| history.span(id));
    let returns: Vec<u32> = spans.filter(|s| !s.is_pending()).map(|s| s.ret).collect();
    Some(Draft::from(&prefix(&history, *rng.choice(&returns)?)))
}

fn shuffle<O, R>(mut draft: Draft<O, R>, rng: &mut Rng) -> Option<Draft<O, R>> {
    rng.shuffle(&mut draft.rows);
    Some(draft)
}

fn rename_processes<O, R>(mut draft: Draft<O, R>, rng: &mut Rng) -> Option<Draft<O, R>> {
    let offset = rng.usize(..1000) as u32;
    let mask = rng.usize(..8) as u32;
    for row in &mut draft.rows {
        row.extras.process = row.extras.process.map(|p| (p ^ mask) + offset);
    }
    Some(draft)
}

fn rename_objects<O, R>(mut draft: Draft<O, R>, rng: &mut Rng) -> Option<Draft<O, R>> {
    let offset = rng.usize(1..=1000) as u32;
    for row in &mut draft.rows {
        // The nameless object counts as an object too.
        row.extras.object = Some(row.extras.object.map_or(0, |object| object + offset));
    }
    Some(draft)
}

fn spread_hints<O, R>(mut draft: Draft<O, R>, rng: &mut Rng) -> Option<Draft<O, R>> {
    let (offset, factor) = (rng.usize(..100) as u64, rng.usize(1..=1000) as u64);
    for row in &mut draft.rows {
        row.extras.hint = row.extras.hint.map(|OrderHint { scope, position }| OrderHint {
            scope: scope + 5,
            position: position * factor + offset,
        });
    }
    Some(draft)
}

fn pause<O, R>(mut draft: Draft<O, R>, rng: &mut Rng) -> Option<Draft<O, R>> {
    let at = some_row(&mut draft, rng, |_| true)?.start;
    let later = |t: u64| if t >= at { t + 1000 } else { t };
    for row in &mut draft.rows {
        row.start = later(row.start);
        row.end = row.end.map(later);
    }
    Some(draft)
}

fn double<O: Clone, R: Clone>(mut draft: Draft<O, R>, rng: &mut Rng) -> Option<Draft<O, R>> {
    let used = |f: fn(&Extras) -> Option<u32>| {
        draft.rows.iter().filter_map(|row| f(&row.extras)).max().map_or(0, |most| most + 1)
    };
    let [objects, scopes] = [used(|e| e.object), used(|e| e.hint.map(|hint| hint.scope))];
    let shift = rng.usize(0..=5) as u64;
    for mut row in draft.rows.clone() {
        // The nameless object is not below `objects`: its copy needs a name of its own.
        row.extras.object = Some(row.extras.object.map_or(2 * objects, |object| object + objects));
        row.extras.hint = row.extras.hint.map(|h| OrderHint { scope: h.scope + scopes, ..h });
        row.extras.process = None;
        row.start += shift;
        row.end = row.end.map(|end| end + shift);
        draft.rows.push(row);
    }
    Some(draft)
}

/// Runs a candidate on a case and its transformed versions. The error says which law it broke.
/// Returns the number of laws tried.
pub fn check_laws<S: Spec>(
    spec: &S,
    case: &Case<S>,
    candidate: &dyn Candidate<S>,
    rng: &mut Rng,
) -> Result<usize, String> {
    // A case includes how hints are used, and the laws hold for either use.
    let verdict = |case: &Case<S>| match candidate.decide(spec, &case.history, case.hints) {
        Answer::Yes(_) => Ok(Some(true)),
        Answer::No(_) => Ok(Some(false)),
        Answer::Undecided(_) => Ok(None),
        Answer::Error(e) => Err(e),
    };
    let hints: Hints = case.hints;
    let Some(before) = verdict(case)? else { return Ok(0) };
    let mut tried = 0;
    for t in transformations() {
        let draft = Draft::from(&case.history);
        let Some(changed) = (t.apply)(draft.clone(), rng) else { continue };
        let after = Case { hints, ..Case::new(changed.build()) };
        let Some(after) = verdict(&after)? else { continue };
        tried += 1;
        if !t.law.allows(before, after) {
            return Err(format!(
                "{:?} breaks the law of \"{}\" ({:?}): {before} before, {after} after\n\
                 // hints: Hints::{hints:?}\n// before\n{draft}\n// after\n{changed}",
                candidate.name(),
                t.name,
                t.law,
            ));
        }
    }
    Ok(tried)
}
