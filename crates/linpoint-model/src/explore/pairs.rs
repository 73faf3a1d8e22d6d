//! Explores simple executions, one pair of processes after another.

use std::time::Duration;

use super::{Counts, Exploration, Outcome, Settings};
use crate::error::{ModelError, Unsupported};
use crate::simple::{Pair, pairs};

/// Explores the simple executions of a pair; `None` if the program is not simple.
type OfPair<'a> = dyn Fn(Pair, &Settings<'_>) -> Result<Option<Exploration>, ModelError> + 'a;

/// Explores the simple executions of the requested pairs, up to the first violation.
pub(super) fn explore(
    threads: usize,
    settings: &Settings<'_>,
    of_pair: &OfPair<'_>,
) -> Result<Exploration, ModelError> {
    let mut whole: Option<Exploration> = None;
    for pair in wanted(threads, settings)? {
        let mut settings = settings.clone();
        let spent = whole.as_ref().map_or(Duration::ZERO, |whole| whole.counts.time);
        settings.limits.time = settings.limits.time.map(|time| time.saturating_sub(spent));
        let Some(mut next) = of_pair(pair, &settings)? else { continue };
        if let Some(before) = whole {
            next.counts = together(&before.counts, &next.counts);
        }
        if !matches!(next.outcome, Outcome::Clean) {
            return Ok(next);
        }
        whole = Some(next);
    }
    whole.map_or_else(|| Err(Unsupported::NotSimple.into()), Ok)
}

fn wanted(threads: usize, settings: &Settings<'_>) -> Result<Vec<Pair>, ModelError> {
    match settings.simple.pair {
        _ if threads < 2 => Err(Unsupported::NoPair.into()),
        None => Ok(pairs(threads).collect()),
        Some(pair) if pair.0 < pair.1 && pair.1 < threads => Ok(vec![pair]),
        Some(pair) => Err(Unsupported::BadPair { pair, threads }.into()),
    }
}

/// The statistics of two consecutive explorations.
fn together(a: &Counts, b: &Counts) -> Counts {
    Counts {
        stored: a.stored + b.stored,
        matched: a.matched + b.matched,
        histories: a.histories + b.histories,
        depth: a.depth.max(b.depth),
        stuck: a.stuck + b.stuck,
        cycles: a.cycles + b.cycles,
        widest: a.widest.max(b.widest),
        carried: a.carried + b.carried,
        bytes: a.bytes.max(b.bytes),
        time: a.time + b.time,
    }
}
