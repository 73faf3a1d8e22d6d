//! Clusters, chains and zones, and contradictions inside a chain.
//!
//! Peaks are shifted by one here, so that the initial values are written at 0, before everything
//! else.

use crate::monitor::Refusal;
use crate::monitor::columns::{Columns, Kind};
use crate::monitor::names::{NONE, Numbers};
use crate::monitor::peaks::Peaks;

/// One value of one register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cluster {
    /// The row that writes it; [`NONE`] for an initial value, or if there is none.
    pub(super) write: u32,
    /// The cluster that the write replaced, if the write reveals it; otherwise [`NONE`].
    pub(super) source: u32,
    /// The cluster that replaced it, if known; otherwise [`NONE`].
    pub(super) next: u32,
    /// When the write began.
    pub(super) write_left: u32,
    /// When it ended.
    pub(super) write_right: u32,
    /// The last left end of its reads; 0 if there are none.
    pub(super) read_left: u32,
    /// The first right end of its reads; [`Peaks::NEVER`] if there are none.
    pub(super) read_right: u32,
}

impl Cluster {
    const UNUSED: Cluster = Cluster {
        write: NONE,
        source: NONE,
        next: NONE,
        write_left: 0,
        write_right: Peaks::NEVER,
        read_left: 0,
        read_right: Peaks::NEVER,
    };

    pub(super) fn has_reads(&self) -> bool {
        self.read_right != Peaks::NEVER
    }

    /// True if it must have been there, because a row found it.
    fn is_found(&self) -> bool {
        self.has_reads() || self.next != NONE
    }
}

/// The time during which a chain occupies its register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Zone {
    /// The first cluster of the chain.
    pub(super) root: u32,
    /// The register.
    pub(super) key: u32,
    /// The first right end of its operations.
    pub(super) mr: u32,
    /// The last left end of its operations.
    pub(super) ml: u32,
}

impl Zone {
    pub(super) fn is_forward(&self) -> bool {
        self.mr < self.ml
    }
}

/// A contradiction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wrong {
    /// This row, or the reads of this cluster if it is [`NONE`], found a value that was never
    /// written.
    Unwritten { row: u32, cluster: u32 },
    /// Two rows replaced one value.
    Twice(u32, u32),
    /// A chain of replacements without a beginning, and one of its clusters.
    Circle(u32),
    /// The write of the cluster, or one of its reads, ended before something earlier in the chain
    /// began.
    Late { root: u32, cluster: u32, write: bool },
    /// A forward zone, and another one that overlaps it.
    Clash(Zone, Zone),
}

/// All clusters of all registers.
#[derive(Debug)]
pub(super) struct Chains {
    pub(super) clusters: Vec<Cluster>,
    /// The cluster that a row writes or reads, or [`NONE`].
    pub(super) of_row: Vec<u32>,
    /// The cluster that a row replaced. Empty if there is no such row.
    pub(super) sources: Vec<u32>,
    /// The number of the first initial value; one for each register.
    pub(super) initials: u32,
}

impl Chains {
    /// Gathers the operations of each value. Moves the values out of the columns.
    pub(super) fn gather(c: &mut Columns) -> Result<Chains, Refusal> {
        let mut chains = Chains::number(c);
        let is_found = chains.gather_reads(c);
        chains.gather_writes(c, &is_found)?;
        Ok(chains)
    }

    /// Gives each value of each register a number.
    fn number(c: &mut Columns) -> Chains {
        let mut of_row = std::mem::take(&mut c.values);
        let mut sources = std::mem::take(&mut c.sources);
        let mut count = c.value_count;
        let key = |i: usize| if c.keys.is_empty() { 0 } else { c.keys[i % c.keys.len()] };
        if !is_owned(&of_row, &sources, c) {
            // One value in two registers: numbers pairs of keys and values.
            let all = || of_row.iter().chain(&sources).enumerate();
            let wide = c.value_count as u64;
            let pair = |(i, v): (usize, &u32)| u64::from(key(i)) * wide + u64::from(*v);
            let pairs: Vec<u64> = all().map(pair).collect();
            let plain = |v: u32| v != NONE && v != c.initial;
            let rows = of_row.len();
            let value = |i: usize| if i < rows { of_row[i] } else { sources[i - rows] };
            let numbers = Numbers::of(&pairs, |i| plain(value(i)));
            count = numbers.count;
            let number = |(i, v): (usize, &u32)| if plain(*v) { numbers.of_row[i] } else { *v };
            let mut all: Vec<u32> = all().map(number).collect();
            // Initial values keep their old mark, which is now beyond the numbers in use.
            if c.initial != NONE {
                let mark = count as u32;
                let marked = |i: usize| value(i) == c.initial;
                (0..all.len()).filter(|i| marked(*i)).for_each(|i| all[i] = mark);
                c.initial = mark;
                count += 1;
            }
            sources = all.split_off(rows);
            of_row = all;
        }
        if c.initial != NONE {
            for column in [&mut of_row, &mut sources] {
                for (row, v) in column.iter_mut().enumerate().filter(|(_, v)| **v == c.initial) {
                    *v = count as u32 + key(row);
                }
            }
        }
        let initial = Cluster { write_right: 0, ..Cluster::UNUSED };
        let mut clusters = vec![Cluster::UNUSED; count];
        clusters.resize(count + c.key_count.max(1), initial);
        Chains { clusters, of_row, sources, initials: count as u32 }
    }

    /// Gathers the reads of each cluster. Returns which clusters were found.
    fn gather_reads(&mut self, c: &Columns) -> Vec<bool> {
        let mut is_found = vec![false; self.clusters.len()];
        for row in 0..c.len() {
            match c.kinds[row] {
                Kind::Read if c.right[row] != Peaks::NEVER => {
                    is_found[self.of_row[row] as usize] = true;
                    let cluster = &mut self.clusters[self.of_row[row] as usize];
                    cluster.read_left = cluster.read_left.max(c.left[row] + 1);
                    cluster.read_right = cluster.read_right.min(c.right[row] + 1);
                }
                Kind::Replace => is_found[self.sources[row] as usize] = true,
                _ => {}
            }
        }
        is_found
    }

    /// Assigns each write to its cluster.
    fn gather_writes(&mut self, c: &Columns, is_found: &[bool]) -> Result<(), Refusal> {
        for row in 0..c.len() {
            if !matches!(c.kinds[row], Kind::Write | Kind::Replace) {
                continue;
            }
            let mut number = self.of_row[row];
            let is_initial = number >= self.initials;
            if is_initial || self.clusters[number as usize].write != NONE {
                if is_found[number as usize] {
                    return Err(Refusal::new(if is_initial {
                        "the initial value is written again"
                    } else {
                        "a value that was found is written twice"
                    }));
                }
                // It was never found: a cluster of its own.
                number = self.clusters.len() as u32;
                self.clusters.push(Cluster::UNUSED);
                self.of_row[row] = number;
            }
            let source = if c.kinds[row] == Kind::Replace { self.sources[row] } else { NONE };
            let cluster = &mut self.clusters[number as usize];
            cluster.write = row as u32;
            cluster.source = source;
            cluster.write_left = c.left[row] + 1;
            cluster.write_right = c.right[row].saturating_add(1);
        }
        Ok(())
    }

    fn is_initial(&self, cluster: u32, c: &Columns) -> bool {
        (self.initials..self.initials + c.key_count.max(1) as u32).contains(&cluster)
    }

    /// Links the clusters of replacements: those that completed, and those pending ones whose value
    /// was found.
    pub(super) fn link(&mut self, c: &Columns) -> Result<(), Wrong> {
        if self.sources.is_empty() {
            return Ok(());
        }
        for row in (0..c.len()).filter(|row| c.kinds[*row] == Kind::Replace) {
            if !c.is_pending(row as u32) {
                self.tie(self.of_row[row], c)?;
            }
        }
        let is_open = |chains: &Chains, number: u32| {
            let cluster = &chains.clusters[number as usize];
            cluster.source != NONE && c.is_pending(cluster.write)
        };
        let tied = |chains: &Chains, number: u32| {
            let source = chains.clusters[number as usize].source;
            chains.clusters[source as usize].next == number
        };
        for row in (0..c.len()).filter(|row| c.kinds[*row] == Kind::Replace) {
            let mut number = self.of_row[row];
            while is_open(self, number)
                && !tied(self, number)
                && self.clusters[number as usize].is_found()
            {
                self.tie(number, c)?;
                number = self.clusters[number as usize].source;
            }
        }
        Ok(())
    }

    fn tie(&mut self, number: u32, c: &Columns) -> Result<(), Wrong> {
        let Cluster { source, write, .. } = self.clusters[number as usize];
        let is_initial = self.is_initial(source, c);
        let from = self.clusters[source as usize];
        if from.write == NONE && !is_initial {
            return Err(Wrong::Unwritten { row: write, cluster: source });
        }
        if from.next != NONE {
            return Err(Wrong::Twice(self.clusters[from.next as usize].write, write));
        }
        self.clusters[source as usize].next = number;
        Ok(())
    }

    /// The zones of all chains, unless there is a contradiction inside one.
    pub(super) fn zones(&self, c: &Columns) -> Result<Vec<Zone>, Wrong> {
        let mut zones = Vec::with_capacity(self.clusters.len());
        let mut reached = 0;
        for (number, cluster) in self.clusters.iter().enumerate() {
            let number = number as u32;
            let key = if self.is_initial(number, c) {
                if !cluster.is_found() {
                    continue;
                }
                number - self.initials
            } else if cluster.write == NONE {
                if cluster.has_reads() {
                    return Err(Wrong::Unwritten { row: NONE, cluster: number });
                }
                continue;
            } else if cluster.source != NONE || c.is_pending(cluster.write) && !cluster.is_found() {
                continue;
            } else {
                c.keys.get(cluster.write as usize).copied().unwrap_or(0)
            };
            let (zone, replacements) = self.zone(number, key)?;
            reached += replacements;
            zones.push(zone);
        }
        self.circle(reached)?;
        Ok(zones)
    }

    /// Checks real time inside a chain. Returns its zone, and the number of replacements in it.
    fn zone(&self, root: u32, key: u32) -> Result<(Zone, usize), Wrong> {
        let (mut lead, mut mr) = (0, Peaks::NEVER);
        let (mut at, mut replacements) = (root, 0);
        while at != NONE {
            let cluster = &self.clusters[at as usize];
            if cluster.write_right < lead {
                return Err(Wrong::Late { root, cluster: at, write: true });
            }
            lead = lead.max(cluster.write_left);
            // All reads come after the write, but their order is open: they are compared with what
            // was before, not with each other.
            if cluster.read_right < lead {
                return Err(Wrong::Late { root, cluster: at, write: false });
            }
            lead = lead.max(cluster.read_left);
            mr = mr.min(cluster.write_right).min(cluster.read_right);
            replacements += usize::from(at != root);
            at = cluster.next;
        }
        Ok((Zone { root, key, mr, ml: lead }, replacements))
    }

    /// Linked clusters that no chain has reached form a circle.
    fn circle(&self, reached: usize) -> Result<(), Wrong> {
        let tied = || (0..self.clusters.len()).filter(|i| self.clusters[*i].next != NONE);
        if self.sources.is_empty() || tied().count() == reached {
            return Ok(());
        }
        let mut seen = vec![false; self.clusters.len()];
        for start in tied().filter(|i| self.clusters[*i].source != NONE) {
            // Goes back to a beginning, or to a cluster seen before.
            let (mut at, mut path) = (start, Vec::new());
            while !seen[at] {
                seen[at] = true;
                path.push(at);
                match self.clusters[at].source {
                    NONE => break,
                    source if self.clusters[source as usize].next != at as u32 => break,
                    source => at = source as usize,
                }
            }
            if path.len() > 1 && at == start || self.clusters[start].source == start as u32 {
                return Err(Wrong::Circle(start as u32));
            }
        }
        Ok(())
    }
}

/// True if no value but the initial one occurs with two keys.
fn is_owned(values: &[u32], sources: &[u32], c: &Columns) -> bool {
    if c.keys.is_empty() {
        return true;
    }
    let mut owner = vec![NONE; c.value_count];
    values.iter().zip(&c.keys).chain(sources.iter().zip(&c.keys)).all(|(&value, &key)| {
        if value == NONE || value == c.initial {
            return true;
        }
        let owner = &mut owner[value as usize];
        let fits = *owner == NONE || *owner == key;
        *owner = key;
        fits
    })
}
