//! Registers with compare-and-set, swap and append, a single one or one for each key, in which no
//! value that was found was written twice.
//!
//! Idea. A value and its reads are a *cluster*: the register holds the value from its write to its
//! last read. A successful compare-and-set ties the cluster of what it wrote to that of what it
//! found, and such clusters form a *chain*. Inside a chain the order is known, so real time is
//! checked there directly ([`chains`]). Each chain occupies the register without interruption, for
//! a *zone*: at least from the first return of its operations (`mr`) to their last call (`ml`) if
//! `mr < ml` (a *forward* zone), and otherwise at some moment between `ml` and `mr`. The history is
//! linearizable exactly if no two forward zones overlap and no other zone lies inside a forward
//! one. The initial value is a write before everything else.
//!
//! *Proof that an order exists:* put the zones in the order of `(mr, 1)` for forward ones and `(ml, 0)`
//! for others, each with its chain in order and reads by their call. An operation `o` breaks real time
//! only if something was put before it that was called after `o` returned. Within the chain that was
//! checked. Before a forward zone come zones with `ml <= mr`: others by the order, forward ones because
//! they do not overlap. Before another zone come such zones with smaller `ml`, which is at most `mr`,
//! and forward zones that began before its `ml`: those end by its `mr`, or it would lie inside the last
//! of them. *That there is none otherwise:* zones of different chains do not mix, so one of the two is
//! wholly before the other, and each way puts some operation before another that precedes it.
//!
//! Values that were never found may be written any number of times: each such write is a zone of
//! its own. Pending reads are left out, and so are pending writes of values that were never found:
//! nothing depends on them.
//!
//! Time O(n): sorting is by counting only. Keys are swept together. Nothing is allocated for a key
//! or a value.
//!
//! Paper: Gibbons and Korach's zones for registers whose reads are mapped to writes. Chains for
//! compare-and-set, pending operations and keys are added.

mod appends;
mod chains;
mod contradiction;

use crate::sorting::sort_by_key;
use crate::spec::{Name, Role};

use super::columns::{Columns, Kind};
use super::merge::{self, Placed};
use super::names::NONE;
use super::peaks::Peaks;
use super::{Clock, Contradiction, Found, Refusal, Rows};
use chains::{Chains, Wrong, Zone};

/// Decides the rows.
pub(crate) fn decide(rows: Rows<'_>, initial: Name, clock: &mut Clock) -> Result<Found, Refusal> {
    if !appends::occur(rows) {
        let found = decide_columns(rows, Columns::read(rows)?, initial, clock)?;
        if let Found::Contradiction(_) = found {
            rows.verify_names()?;
        }
        return Ok(found);
    }
    let appended = match appends::read(rows)? {
        Ok(appended) => appended,
        Err(found) => return Ok(Found::Contradiction(with_latent_writers(rows, found))),
    };
    let found = decide_columns(rows, appended.columns.clone(), initial, clock)?;
    let Found::Contradiction(contradiction) = found else { return Ok(found) };
    let Some(certain) = appended.without_guesses()? else {
        return Ok(Found::Contradiction(with_latent_writers(rows, appended.widen(contradiction))));
    };
    match decide_columns(rows, certain, initial, clock)? {
        Found::Contradiction(found) => {
            Ok(Found::Contradiction(with_latent_writers(rows, appended.widen(found))))
        }
        Found::Order(_) => Err(appends::repeated()),
    }
}

/// Adds the rows that wrote nothing, but would write if they were relaxed: a `get_or_else_update` that found a value. With
/// appends, any text may be part of what was read, so all of them matter.
fn with_latent_writers(rows: Rows<'_>, contradiction: Contradiction) -> Contradiction {
    let writes = |role: Role| matches!(role, Role::Write(_) | Role::Replace { .. });
    let is_latent = |row: &u32| {
        let row = *row as usize;
        !rows.appends(row) && !writes(rows.role(row)) && writes(rows.relaxed_role(row))
    };
    contradiction.and((0..rows.len() as u32).filter(is_latent))
}

fn decide_columns(
    rows: Rows<'_>,
    mut c: Columns,
    initial: Name,
    clock: &mut Clock,
) -> Result<Found, Refusal> {
    let mut chains = Chains::gather(&mut c)?;
    clock.prepared();
    let zones = chains.link(&c).and_then(|()| chains.zones(&c)).and_then(|zones| {
        let order = by_point(&zones, c.peaks);
        clash(&zones, &order, c.key_count)?;
        Ok((zones, order))
    });
    clock.decided();
    Ok(match zones {
        Ok((zones, order)) => Found::Order(witness(&c, &chains, &zones, &order)),
        Err(wrong) => {
            Found::Contradiction(contradiction::contradiction(rows, initial, &c, &chains, wrong))
        }
    })
}

/// The zones of all keys in sweep order. Zones of one key follow each other in this order if they
/// can at all.
fn by_point(zones: &[Zone], peaks: u32) -> Vec<u32> {
    let point = |z: &Zone| if z.is_forward() { 2 * z.mr as usize + 1 } else { 2 * z.ml as usize };
    // Peaks are shifted by one.
    let mut next = vec![0u32; 2 * peaks as usize + 5];
    for zone in zones {
        next[point(zone) + 1] += 1;
    }
    for i in 1..next.len() {
        next[i] += next[i - 1];
    }
    let mut order = vec![0; zones.len()];
    for (i, zone) in zones.iter().enumerate() {
        let place = &mut next[point(zone)];
        order[*place as usize] = i as u32;
        *place += 1;
    }
    order
}

/// Finds two zones of one key that exclude each other.
fn clash(zones: &[Zone], order: &[u32], keys: usize) -> Result<(), Wrong> {
    // For each key, the end of its last forward zone, and which zone that is.
    let mut last = vec![(0, NONE); keys.max(1)];
    for &i in order {
        let zone = zones[i as usize];
        let (end, forward) = &mut last[zone.key as usize];
        if zone.mr < *end {
            return Err(Wrong::Clash(zones[*forward as usize], zone));
        }
        if zone.is_forward() {
            (*end, *forward) = (zone.ml, i);
        }
    }
    Ok(())
}

/// An order of all operations, if there is no contradiction.
fn witness(c: &Columns, chains: &Chains, zones: &[Zone], order: &[u32]) -> Vec<u32> {
    let reads = Reads::group(c, chains);
    let mut placed: Vec<Placed> = Vec::with_capacity(c.len());
    let mut lead = vec![0u32; c.key_count.max(1)];
    for &i in order {
        let zone = zones[i as usize];
        let lead = &mut lead[zone.key as usize];
        let mut put = |row: u32| {
            *lead = (*lead).max(c.left[row as usize]);
            placed.push((row, *lead));
        };
        let mut at = zone.root;
        while at != NONE {
            let cluster = &chains.clusters[at as usize];
            if cluster.write != NONE {
                put(cluster.write);
            }
            reads.of(at).iter().for_each(|row| put(*row));
            at = cluster.next;
        }
    }
    let says_nothing = |row: &u32| c.kinds[*row as usize] == Kind::Idle && !c.is_pending(*row);
    let alone = c.key_count <= 1;
    let ordered = placed.len();
    placed.extend((0..c.len() as u32).filter(says_nothing).map(|row| (row, c.left[row as usize])));
    if alone && placed.len() == ordered {
        placed.into_iter().map(|(row, _)| row).collect()
    } else {
        merge::by_peak(&placed, c.peaks)
    }
}

/// The reads of each cluster, by left end.
struct Reads {
    rows: Vec<u32>,
    /// For each cluster, where its reads end and those of the next one begin.
    ends: Vec<u32>,
}

impl Reads {
    fn group(c: &Columns, chains: &Chains) -> Reads {
        let is_read = |row: usize| c.kinds[row] == Kind::Read && c.right[row] != Peaks::NEVER;
        let mut next = vec![0u32; chains.clusters.len() + 1];
        let all = || (0..c.len()).filter(|row| is_read(*row));
        for row in all() {
            next[chains.of_row[row] as usize + 1] += 1;
        }
        for i in 1..next.len() {
            next[i] += next[i - 1];
        }
        let mut rows = vec![0; next[next.len() - 1] as usize];
        for row in all() {
            let place = &mut next[chains.of_row[row] as usize];
            rows[*place as usize] = row as u32;
            *place += 1;
        }
        next.pop();
        let mut reads = Reads { rows, ends: next };
        if !c.left.is_sorted() {
            let mut start = 0;
            for &end in &reads.ends {
                sort_by_key(&mut reads.rows[start..end as usize], |r| c.left[*r as usize]);
                start = end as usize;
            }
        }
        reads
    }

    fn of(&self, cluster: u32) -> &[u32] {
        let start = if cluster == 0 { 0 } else { self.ends[cluster as usize - 1] };
        &self.rows[start as usize..self.ends[cluster as usize] as usize]
    }
}
