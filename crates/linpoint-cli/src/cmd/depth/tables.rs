//! The tables of the paper, one row per set of histories: the concurrency of the histories, the sizes of the
//! families, and how many histories have a witness in them.

use std::fmt::Write;
use std::time::Duration;

use super::DepthRow;
use super::rows::aligned;

/// A set of histories.
pub(super) struct HistorySet {
    pub(super) name: String,
    histories: usize,
    operations: Sample,
    concurrency: Sample,
    pairs: Sample,
    /// Histories with operations that overlap.
    overlapping: usize,
    /// Overlapping histories that are linearizable.
    pub(super) linearizable: usize,
    /// Overlapping histories that are undecided.
    undecided: usize,
    /// For each `d`, the sizes of the families, and how many were too large to count.
    sizes: Vec<(Sample, usize)>,
    /// The same with the fewest possible chains.
    fewest: Vec<(Sample, usize)>,
    /// For each `d`, how many histories have a witness.
    pub(super) witnessed: Vec<usize>,
}

/// A sample with its maximum, mean and standard deviation.
#[derive(Default)]
struct Sample {
    values: Vec<f64>,
}

impl Sample {
    fn add(&mut self, value: usize) {
        self.values.push(value as f64);
    }

    fn max(&self) -> f64 {
        self.values.iter().copied().fold(0.0, f64::max)
    }

    /// 0 if there are no values: the sum of none is -0.
    fn mean(&self) -> f64 {
        self.values.iter().fold(0.0, |sum, value| sum + value) / self.values.len().max(1) as f64
    }

    fn deviation(&self) -> f64 {
        let mean = self.mean();
        let squares = self.values.iter().fold(0.0, |sum, value| sum + (value - mean).powi(2));
        (squares / self.values.len().saturating_sub(1).max(1) as f64).sqrt()
    }
}

impl HistorySet {
    fn new(name: &str, most_d: usize) -> HistorySet {
        let sizes = || (0..most_d).map(|_| (Sample::default(), 0)).collect();
        HistorySet {
            name: name.to_owned(),
            histories: 0,
            operations: Sample::default(),
            concurrency: Sample::default(),
            pairs: Sample::default(),
            overlapping: 0,
            linearizable: 0,
            undecided: 0,
            sizes: sizes(),
            fewest: sizes(),
            witnessed: vec![0; most_d],
        }
    }

    fn add(&mut self, row: &DepthRow) {
        let m = &row.measured;
        self.histories += 1;
        self.operations.add(m.operations);
        self.concurrency.add(m.concurrency);
        self.pairs.add(m.concurrent_pairs);
        if m.concurrent_pairs == 0 {
            return;
        }
        self.overlapping += 1;
        self.linearizable += usize::from(row.linearizable == Some(true));
        self.undecided += usize::from(row.linearizable.is_none());
        let fewest = m.sizes_with_fewest.as_ref().unwrap_or(&m.sizes);
        for (sizes, of_row) in [(&mut self.sizes, &m.sizes), (&mut self.fewest, fewest)] {
            for ((numbers, uncounted), size) in sizes.iter_mut().zip(of_row) {
                match size {
                    Some(size) => numbers.add(*size),
                    None => *uncounted += 1,
                }
            }
        }
        if let Some(d) = m.witness {
            self.witnessed.iter_mut().skip(d - 1).for_each(|count| *count += 1);
        }
    }
}

/// The sets in the order of their first history; if there are several, also all histories as one set.
pub(super) fn sets(rows: &[DepthRow], most_d: usize) -> Vec<HistorySet> {
    let mut sets: Vec<HistorySet> = Vec::new();
    let mut all = HistorySet::new("all", most_d);
    for row in rows {
        all.add(row);
        match sets.iter_mut().find(|set| set.name == row.set) {
            Some(set) => set.add(row),
            None => {
                let mut set = HistorySet::new(&row.set, most_d);
                set.add(row);
                sets.push(set);
            }
        }
    }
    if sets.len() > 1 {
        sets.push(all);
    }
    sets
}

/// All tables as text.
pub(super) fn human(sets: &[HistorySet], time: Duration) -> String {
    let mut text = String::from("histories (c: operations open at once; cp: overlapping pairs)\n");
    text += &aligned(&histories(sets));
    text += "\nschedules in the family of depth d, one chain per thread\n";
    text += &aligned(&sizes(sets, |set| &set.sizes));
    text += "\nthe same with the fewest possible chains\n";
    text += &aligned(&sizes(sets, |set| &set.fewest));
    text += "\nlinearizable histories with a witness in the family of depth d, among those that overlap\n";
    text += &aligned(&witnesses(sets));
    let uncounted: usize = sets.iter().rev().take(1).flat_map(|set| &set.sizes).map(|s| s.1).sum();
    if uncounted > 0 {
        let _ = writeln!(text, "\n{uncounted} families were too large to count and are left out");
    }
    let _ = writeln!(text, "\n{:.1} s", time.as_secs_f64());
    text
}

fn histories(sets: &[HistorySet]) -> Vec<Vec<String>> {
    let heading = ["", "histories", "ops", "max(c)", "μ(c)", "σ(c)", "max(cp)", "μ(cp)", "σ(cp)"];
    let mut table = vec![heading.map(str::to_owned).to_vec()];
    for set in sets {
        let mut row = vec![set.name.clone(), set.histories.to_string()];
        row.push(format!("{:.1}", set.operations.mean()));
        for numbers in [&set.concurrency, &set.pairs] {
            row.push(format!("{:.0}", numbers.max()));
            row.push(format!("{:.2}", numbers.mean()));
            row.push(format!("{:.2}", numbers.deviation()));
        }
        table.push(row);
    }
    table
}

fn sizes(sets: &[HistorySet], of: impl Fn(&HistorySet) -> &[(Sample, usize)]) -> Vec<Vec<String>> {
    let depths = sets.first().map_or(0, |set| of(set).len());
    let heading = (1..=depths).flat_map(|d| [format!("d={d} max"), "μ".into(), "σ".into()]);
    let mut table = vec![std::iter::once(String::new()).chain(heading).collect::<Vec<_>>()];
    for set in sets {
        let numbers = of(set).iter().flat_map(|(numbers, _)| {
            [numbers.max(), numbers.mean(), numbers.deviation()].map(|n| format!("{n:.0}"))
        });
        table.push(std::iter::once(set.name.clone()).chain(numbers).collect());
    }
    table
}

fn witnesses(sets: &[HistorySet]) -> Vec<Vec<String>> {
    let depths = sets.first().map_or(0, |set| set.witnessed.len());
    let heading = (1..=depths).flat_map(|d| [format!("d={d}"), "%".into()]);
    let undecided = sets.iter().any(|set| set.undecided > 0);
    let mut first = vec![String::new(), "overlap".into(), "linearizable".into()];
    first.extend(undecided.then(|| "undecided".into()));
    let mut table = vec![first.into_iter().chain(heading).collect::<Vec<_>>()];
    for set in sets {
        let mut row = vec![set.name.clone()];
        row.extend([set.overlapping, set.linearizable].map(|n| n.to_string()));
        row.extend(undecided.then(|| set.undecided.to_string()));
        for count in &set.witnessed {
            row.push(count.to_string());
            row.push(format!("{:.1}", share(*count, set.linearizable)));
        }
        table.push(row);
    }
    table
}

/// Percentage of `part` in `whole`.
pub(super) fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
