//! Measures the monitors on large linearizable histories of distinct values: deciding in memory,
//! and from a file to the answer. For comparison: the lower bound (sorting the events, reading the
//! file) and, if `LINPOINT_FASTLIN` names its program, fastlin on the same files.

mod floor;
mod objects;
mod phases;
mod shape;
#[cfg(test)]
mod tests;
mod text;
pub mod write;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::child::cost;
use crate::measure::{Answer, line_of_process};
use crate::table::{Table, seconds, short};
use objects::Mix;
use phases::Phases;
use shape::{Shape, Type};

/// Time limit for a search before a monitor takes over.
const LIMIT: Duration = Duration::from_secs(20);

const IN_MEMORY: [&str; 16] = [
    "type",
    "k",
    "n",
    "answer",
    "by",
    "prepare",
    "decide",
    "witness",
    "validate",
    "all",
    "ns an op",
    "growth",
    "sort alone",
    ": sort",
    "fastlin check",
    "fastlin : ours",
];
const FROM_FILE: [&str; 14] = [
    "type",
    "k",
    "n",
    "file MB",
    "reading alone",
    "answer",
    "CPU",
    "growth",
    ": reading",
    "B an op",
    "fastlin",
    "fastlin CPU",
    "fastlin B an op",
    "fastlin : ours",
];

/// Programs that are run on the files.
pub struct Programs {
    /// Ours.
    pub linpoint: Option<PathBuf>,
    fastlin: Option<PathBuf>,
}

impl Programs {
    /// `LINPOINT_BIN`, or the binary that cargo built beside this program; `LINPOINT_FASTLIN`.
    pub fn find() -> Programs {
        let beside = || std::env::current_exe().ok()?.parent().map(|d| d.join("linpoint"));
        let linpoint = std::env::var_os("LINPOINT_BIN").map(PathBuf::from).or_else(beside);
        let linpoint = linpoint.filter(|p| p.is_file());
        let fastlin = std::env::var_os("LINPOINT_FASTLIN").map(PathBuf::from);
        if linpoint.is_none() {
            println!("skipped: files; first run cargo build --release -p linpoint-cli");
        }
        if fastlin.is_none() {
            println!("skipped: fastlin; LINPOINT_FASTLIN does not name its program");
        }
        Programs { linpoint, fastlin }
    }
}

/// One type and number of processes, at growing sizes. A program that hits a limit is not run
/// again.
struct Series {
    shape: Shape,
    /// The times at the previous size; `None` at the first size, or after a limit.
    in_memory: Step,
    linpoint: Step,
    fastlin: Step,
}

#[derive(Clone, Copy)]
enum Step {
    First,
    After(f64),
    GaveUp,
}

impl Step {
    /// Moves on to the next size. Returns the growth of the time.
    fn grow(&mut self, time: f64) -> String {
        let growth = match *self {
            Step::After(before) => format!("{:.1}", time / before),
            _ => "-".into(),
        };
        *self = Step::After(time);
        growth
    }
}

/// Measures the types named in `which`, or all; with peeks if `which` says so.
pub fn main(which: &[String], quick: bool) {
    let peeks = which.iter().any(|w| w == "peeks");
    let named: Vec<Type> = which.iter().filter_map(|w| Type::from_name(w)).collect();
    let types = Type::ALL.map(|(object, _)| object);
    let types = types.iter().filter(|t| named.is_empty() || named.contains(t));
    let sizes: &[usize] = if quick { &[100_000] } else { &[100_000, 1_000_000, 10_000_000] };
    let mix = Mix { adds: 0.5, peeks: if peeks { 0.2 } else { 0.0 }, empties: false };
    let programs = Programs::find();
    let (mut in_memory, mut from_file) = (Table::new(IN_MEMORY), Table::new(FROM_FILE));
    for (&object, processes) in types.flat_map(|t| [(t, 4), (t, 100)]) {
        let shape = Shape { object, operations: 0, processes, mix, seed: 1 };
        let first = Step::First;
        let mut series = Series { shape, in_memory: first, linpoint: first, fastlin: first };
        for &operations in sizes {
            series.shape.operations = operations;
            let fastlin = series.file(&programs, &mut from_file).expect("files can be measured");
            series.memory(fastlin, &mut in_memory);
        }
    }
    let with = if peeks { ", 20 % peeks" } else { "" };
    let name = if peeks { "monitors-peeks" } else { "monitors" };
    let title = format!("Distinct values, 50 % adds{with}, in memory, one thread, CPU time");
    in_memory.publish(&title, name);
    let title = format!("Distinct values, 50 % adds{with}, from a file, CPU time of the process");
    from_file.publish(&title, &format!("{name}-files"));
}

/// Number of samples, and of runs of a program in each.
fn repeats(operations: usize) -> (usize, usize) {
    match operations {
        n if n <= 100_000 => (3, 10),
        n if n <= 1_000_000 => (3, 2),
        _ => (2, 1),
    }
}

/// The wall-clock seconds of the check, which fastlin prints after its answer.
fn its_time(output: &str) -> Option<f64> {
    output.split_whitespace().nth(1)?.parse().ok()
}

fn per_op(bytes: usize, operations: usize) -> String {
    format!("{:.0}", bytes as f64 / operations as f64)
}

fn number(x: f64) -> String {
    if x.is_finite() { format!("{x:.2}") } else { "-".into() }
}

fn time(s: f64) -> String {
    if s.is_finite() { seconds(s) } else { "-".into() }
}

impl Series {
    fn name(&self) -> Vec<String> {
        let Shape { object, operations, processes, .. } = &self.shape;
        vec![object.name().into(), processes.to_string(), short(*operations as f64)]
    }

    /// A row for deciding in memory, with the time that fastlin reports for its check.
    fn memory(&mut self, fastlin: f64, table: &mut Table) {
        let mut row = self.name();
        if matches!(self.in_memory, Step::GaveUp) {
            row.push("not tried".into());
            row.resize(IN_MEMORY.len(), "-".into());
        } else {
            let text = line_of_process(&words(&self.shape));
            let phases = Phases::parse(&text).unwrap_or_else(|| panic!("{text:?} is no case"));
            row.extend(self.phases(&phases, fastlin));
        }
        eprintln!("{}", row.join(" | "));
        table.row(row);
    }

    fn phases(&mut self, phases: &Phases, fastlin: f64) -> Vec<String> {
        let ours = phases.to_answer();
        let decided = phases.answer == Answer::Yes.name();
        let growth = if decided { self.in_memory.grow(ours) } else { "-".into() };
        if !decided {
            self.in_memory = Step::GaveUp;
        }
        vec![
            phases.answer.clone(),
            phases.engine.clone(),
            time(phases.prepare),
            time(phases.decide),
            time(phases.witness),
            time(phases.validate),
            time(phases.all),
            number(ours * 1e9 / self.shape.operations as f64),
            growth,
            time(phases.sort),
            number(ours / phases.sort),
            time(fastlin),
            number(if decided { fastlin / ours } else { f64::NAN }),
        ]
    }

    /// A row for deciding a file. Returns the time that fastlin reports for its check.
    fn file(&mut self, programs: &Programs, table: &mut Table) -> std::io::Result<f64> {
        let Some(linpoint) = &programs.linpoint else { return Ok(f64::NAN) };
        let path = std::env::temp_dir().join(format!("linpoint-bench-{}", std::process::id()));
        self.shape.write(&path)?;
        let bytes = path.metadata()?.len();
        let reading = (0..3).map(|_| floor::read(&path)).collect::<std::io::Result<Vec<f64>>>()?;
        let reading = reading.into_iter().fold(f64::INFINITY, f64::min);
        let mut row = self.name();
        row.extend([format!("{:.1}", bytes as f64 / 1e6), time(reading)]);
        let ours = self.ours(linpoint, &path, reading, &mut row)?;
        let check = self.theirs(programs.fastlin.as_deref(), &path, ours, &mut row)?;
        std::fs::remove_file(&path)?;
        eprintln!("{}", row.join(" | "));
        table.row(row);
        Ok(check)
    }

    /// Cells for `linpoint check`, and its CPU seconds; NaN if it did not decide.
    fn ours(
        &mut self,
        program: &Path,
        path: &Path,
        reading: f64,
        row: &mut Vec<String>,
    ) -> std::io::Result<f64> {
        let n = self.shape.operations;
        let mut cells = vec!["not tried".into()];
        let mut cpu = f64::NAN;
        if !matches!(self.linpoint, Step::GaveUp) {
            let limit = format!("{}s", LIMIT.as_secs());
            let path = path.to_string_lossy();
            let args = ["check", "--as", "tsv", "--timeout", &limit, &path];
            let cost = cost(program, &args, repeats(n), 10 * LIMIT)?;
            cells = vec![answer(cost.code, cost.outputs.last().map_or("", |o| o)).into()];
            self.linpoint = if cost.code == Some(0) {
                cpu = cost.cpu;
                let growth = self.linpoint.grow(cpu);
                cells.extend([time(cpu), growth, number(cpu / reading), per_op(cost.peak, n)]);
                self.linpoint
            } else {
                Step::GaveUp
            };
        }
        cells.resize(5, "-".into());
        row.extend(cells);
        Ok(cpu)
    }

    /// Cells for fastlin, and the time that it reports for its check.
    fn theirs(
        &mut self,
        program: Option<&Path>,
        path: &Path,
        ours: f64,
        row: &mut Vec<String>,
    ) -> std::io::Result<f64> {
        let n = self.shape.operations;
        let (mut cells, mut check) = (vec!["-".into()], f64::NAN);
        let asked = self.shape.object.is_in_fastlin() && !matches!(self.fastlin, Step::GaveUp);
        if let Some(program) = program.filter(|_| asked) {
            // Without peeks it has a faster algorithm, which needs a flag.
            let flags = if self.shape.mix.peeks > 0.0 { "-t" } else { "-tx" };
            // It takes about 3 µs for each operation, but does not terminate on some histories.
            let limit = Duration::from_secs(10) + Duration::from_micros(30) * n as u32;
            let cost = cost(program, &[flags, &path.to_string_lossy()], repeats(n), limit)?;
            let says = match (cost.code, cost.outputs.last().and_then(|o| o.chars().next())) {
                (Some(0), Some('1')) => "yes",
                (Some(0), Some('0')) => "wrongly no",
                (Some(_), _) => "failed",
                (None, _) => "stopped",
            };
            check = cost.outputs.iter().filter_map(|o| its_time(o)).fold(f64::NAN, f64::min);
            self.fastlin = if says == "yes" { Step::After(cost.cpu) } else { Step::GaveUp };
            let peak = per_op(cost.peak, n);
            cells = vec![says.into(), time(cost.cpu), peak, number(cost.cpu / ours)];
        }
        cells.resize(4, "-".into());
        row.extend(cells);
        Ok(check)
    }
}

/// The answer of `linpoint check`. Stops the program if it is wrong.
pub fn answer(code: Option<i32>, output: &str) -> &'static str {
    match code {
        Some(0) => "linearizable",
        Some(1) => panic!("a wrong answer: {output:?}"),
        Some(2) => "cannot read it",
        Some(3) => "undecided",
        _ => "stopped",
    }
}

fn words(shape: &Shape) -> Vec<String> {
    let Shape { object, operations, processes, mix, seed } = shape;
    let numbers = [*operations as f64, f64::from(*processes), mix.adds, mix.peeks, *seed as f64];
    let head = ["monitors".to_owned(), object.name().to_owned()];
    head.into_iter().chain(numbers.map(|n| n.to_string())).collect()
}

/// One case in this process.
pub fn case(words: &[String]) -> Phases {
    let numbers: Vec<f64> = words.iter().skip(1).map(|w| w.parse().expect("a number")).collect();
    let [operations, processes, adds, peeks, seed] = numbers[..] else { panic!("five numbers") };
    let object = Type::from_name(&words[0]).expect("a type");
    let mix = Mix { adds, peeks, empties: false };
    let (operations, processes) = (operations as usize, processes as u32);
    let shape = Shape { object, operations, processes, mix, seed: seed as u64 };
    let (samples, runs) = repeats(operations);
    phases::measure(&shape, samples * runs, LIMIT)
}
