//! Finds a few operations that contradict each other.
//!
//! All arguments rest on this: a value that was found is written by one operation only, so the
//! register held it without interruption, and a chain likewise if the replacements in between are
//! known. It stays true when other operations are relaxed, as long as none of them could then write
//! one of the values in question. That is possible: a `get_or_else_update` that found a value would
//! put its own if it had found none. Such operations are named as well.

use crate::monitor::columns::{Columns, Kind};
use crate::monitor::names::NONE;
use crate::monitor::{Contradiction, Rows, contradiction::contradiction as say};
use crate::spec::{Name, Role};

use super::chains::{Chains, Wrong, Zone};

/// Describes what is wrong.
pub(super) fn contradiction(
    rows: Rows<'_>,
    initial: Name,
    c: &Columns,
    chains: &Chains,
    wrong: Wrong,
) -> Contradiction {
    let mut explainer = Explainer { c, chains, core: Vec::new() };
    let said = match wrong {
        Wrong::Unwritten { row: NONE, cluster } => {
            let row =
                explainer.row(|row| c.kinds[row] == Kind::Read && chains.of_row[row] == cluster);
            say![row, " found what was never written"]
        }
        Wrong::Unwritten { row, .. } => {
            explainer.evidence(row);
            say![row, " replaced what was never written"]
        }
        Wrong::Twice(a, b) => {
            explainer.evidence(a);
            explainer.evidence(b);
            say![a, " and ", b, " both replaced a value that was there only once"]
        }
        Wrong::Circle(start) => explainer.circle(start),
        Wrong::Late { root, cluster, write } => explainer.late(root, cluster, write),
        Wrong::Clash(forward, other) => explainer.clash(forward, other),
    };
    let core = std::mem::take(&mut explainer.core);
    let said = said.and(core);
    let helpers = writers_if_relaxed(rows, initial, &explainer, &said.rows);
    said.and(helpers)
}

struct Explainer<'a> {
    c: &'a Columns,
    chains: &'a Chains,
    /// Rows that matter but are not named in the sentence.
    core: Vec<u32>,
}

impl Explainer<'_> {
    /// The first row of this kind. The caller knows that there is one.
    fn row(&self, is_it: impl Fn(usize) -> bool) -> u32 {
        (0..self.c.len()).position(is_it).unwrap_or(0) as u32
    }

    fn is_read_of(&self, row: usize, cluster: u32) -> bool {
        self.c.kinds[row] == Kind::Read
            && self.chains.of_row[row] == cluster
            && !self.c.is_pending(row as u32)
    }

    /// What shows that a row took effect: itself if it returned, otherwise a row that found its
    /// value.
    fn evidence(&mut self, mut row: u32) {
        loop {
            self.core.push(row);
            if !self.c.is_pending(row) {
                return;
            }
            let number = self.chains.of_row[row as usize];
            let cluster = &self.chains.clusters[number as usize];
            if cluster.has_reads() {
                self.core.push(self.row(|row| self.is_read_of(row, number)));
                return;
            }
            if cluster.next == NONE {
                return;
            }
            row = self.chains.clusters[cluster.next as usize].write;
            if self.core.contains(&row) {
                return;
            }
        }
    }

    fn circle(&mut self, start: u32) -> Contradiction {
        let write = |number: u32| self.chains.clusters[number as usize].write;
        let source = self.chains.clusters[start as usize].source;
        let mut at = source;
        let mut others = Vec::new();
        while at != start {
            others.push(write(at));
            at = self.chains.clusters[at as usize].source;
        }
        let first = write(start);
        self.evidence(first);
        for row in others {
            self.evidence(row);
        }
        if source == start {
            return say![first, " replaced what only itself wrote"];
        }
        say![first, " replaced what ", write(source), " wrote, and that in turn goes back to it"]
    }

    /// The clusters of a chain.
    fn chain(&self, root: u32) -> impl Iterator<Item = u32> {
        let next = |at: &u32| Some(self.chains.clusters[*at as usize].next).filter(|n| *n != NONE);
        std::iter::successors(Some(root), next)
    }

    /// The rows that tie the clusters after `from` up to `to` of a chain to those before them.
    fn ties(&mut self, root: u32, from: usize, to: usize) {
        let (from, to) = (from.min(to), from.max(to));
        let clusters: Vec<u32> = self.chain(root).skip(from + 1).take(to - from).collect();
        self.core.extend(clusters.iter().map(|at| self.chains.clusters[*at as usize].write));
    }

    /// The operation of a chain with this end, and the position of its cluster.
    fn operation(&self, root: u32, fits: impl Fn(u32) -> bool) -> (u32, usize) {
        for (position, number) in self.chain(root).enumerate() {
            let write = self.chains.clusters[number as usize].write;
            if write != NONE && fits(write) {
                return (write, position);
            }
            let of_it = |row: &u32| self.is_read_of(*row as usize, number);
            if let Some(row) = (0..self.c.len() as u32).filter(of_it).find(|row| fits(*row)) {
                return (row, position);
            }
        }
        (NONE, 0)
    }

    /// The operation of a chain that began last, by the shifted peak.
    fn began(&self, root: u32, ml: u32) -> (u32, usize) {
        self.operation(root, |row| self.c.left[row as usize] + 1 == ml)
    }

    /// The operation of a chain that ended first; [`NONE`] if that is the initial write.
    fn ended(&self, root: u32, mr: u32) -> (u32, usize) {
        self.operation(root, |row| self.c.right[row as usize].saturating_add(1) == mr)
    }

    fn late(&mut self, root: u32, number: u32, write: bool) -> Contradiction {
        let cluster = &self.chains.clusters[number as usize];
        let position = self.chain(root).position(|at| at == number).unwrap_or(0);
        let (row, right) = if write {
            (cluster.write, cluster.write_right)
        } else {
            let ends_then = |row: usize| self.c.right[row] + 1 == cluster.read_right;
            let row = self.row(|row| self.is_read_of(row, number) && ends_then(row));
            (row, cluster.read_right)
        };
        // A row earlier in the chain that began later: the write of the cluster, or before.
        let began_later = |row: u32| self.c.left[row as usize] + 1 > right;
        if !write && cluster.write != NONE && began_later(cluster.write) {
            return say![row, " had ended before ", cluster.write, " wrote what it found"];
        }
        let (earlier, from) = self.operation(root, began_later);
        self.ties(root, from, position);
        say![
            row,
            " had ended before ",
            earlier,
            " began, but its value was replaced by the value of the other"
        ]
    }

    fn clash(&mut self, forward: Zone, other: Zone) -> Contradiction {
        let (first, p) = self.ended(forward.root, forward.mr);
        let (last, q) = self.began(forward.root, forward.ml);
        let (a, i) = self.ended(other.root, other.mr);
        let (b, j) = self.began(other.root, other.ml);
        if first == NONE {
            // From the beginning on, nothing else was there.
            self.ties(forward.root, 0, q);
            self.evidence(last);
            return say![
                a,
                " had ended before ",
                last,
                " found what goes back to the initial value"
            ];
        }
        self.ties(forward.root, p, q);
        self.evidence(last);
        let is_between = |row: u32| {
            self.c.left[row as usize] + 1 > forward.mr
                && self.c.right[row as usize].saturating_add(1) < forward.ml
        };
        let (between, _) = self.operation(other.root, is_between);
        if between != NONE {
            return say![
                first,
                " and ",
                last,
                " concern one value, but ",
                between,
                " was between them with another"
            ];
        }
        self.ties(other.root, i, j);
        self.evidence(b);
        say![
            first,
            " had ended before ",
            last,
            " began, and nothing else was there in between; but ",
            b,
            " began after the first, and ",
            a,
            " ended before the last, and they concern another value"
        ]
    }
}

/// Rows outside the core that would write one of its values if they were relaxed.
fn writers_if_relaxed(
    rows: Rows<'_>,
    initial: Name,
    explainer: &Explainer<'_>,
    core: &[u32],
) -> Vec<u32> {
    let mut names = vec![initial];
    for &row in core {
        match rows.role(row as usize) {
            Role::Read(name) | Role::Write(name) => names.push(name),
            Role::Replace { from, to } => names.extend([from, to]),
            _ => {}
        }
    }
    let c = explainer.c;
    let key = |row: u32| c.keys.get(row as usize);
    let Some(&first) = core.first() else { return Vec::new() };
    let might = |row: &u32| {
        key(*row) == key(first)
            && matches!(c.kinds[*row as usize], Kind::Read | Kind::Idle)
            && match rows.relaxed_role(*row as usize) {
                Role::Write(name) | Role::Replace { to: name, .. } => names.contains(&name),
                _ => false,
            }
    };
    (0..c.len() as u32).filter(might).collect()
}
