//! Do the limits hold? Runs the command with a time and a memory limit on histories that are hard to check, and compares what
//! it took with the limits.
//!
//! Every case is a process of its own: `linpoint check --timeout 2s --memory 300MB FILE`, and the same for other outputs and
//! other commands. A case overruns if it works for more than [`MOST_LATE`] after the limit, which begins when the file has
//! been read, or takes more than [`MOST_MEMORY`] beyond the file's size, or ends in any other way than with a verdict. Reading is measured by a check without time. The
//! histories are simulated by `linpoint gen` one operation after the other, and stretched ([`shapes`]).
//!
//! On a shared machine wall-clock times mean little, so the CPU time after the limit counts; and an overrun is measured again
//! before it is reported.
//!
//! `write` keeps the histories in the current directory and runs nothing.

mod shapes;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::child::{Run, run};
use crate::table::{Table, mib, seconds};
use shapes::{Ending, Shape, Values, history};

/// The limits given to the command.
const TIME: &str = "2s";
const MEMORY: &str = "300MB";
const TIME_LIMIT: Duration = Duration::from_secs(2);
/// What a case may take: 10 % more. Of time, that is CPU seconds after the limit.
const MOST_LATE: f64 = 0.2;
const MOST_MEMORY: usize = 330_000_000;
/// Cases are stopped after this time.
const PATIENCE: Duration = Duration::from_secs(60);

const SIZES: [usize; 3] = [2_000, 10_000, 100_000];

/// Keeps the histories.
const WRITE: &str = "write";

/// What is run: a name, and the arguments before the file.
const COMMANDS: [(&str, &[&str]); 12] = [
    ("check", &["check", "--timeout", TIME, "--memory", MEMORY]),
    ("explain", &["explain", "--timeout", TIME, "--memory", MEMORY]),
    ("json", &["check", "--timeout", TIME, "--memory", MEMORY, "--as", "json"]),
    ("junit", &["check", "--timeout", TIME, "--memory", MEMORY, "--as", "junit"]),
    ("tsv", &["check", "--timeout", TIME, "--memory", MEMORY, "--as", "tsv"]),
    ("html", &["check", "--timeout", TIME, "--memory", MEMORY, "--html", "PAGE"]),
    ("watch", &["watch", "--quiet", "--timeout", TIME, "--memory", MEMORY]),
    ("shrink", &["shrink", "--budget", TIME, "--memory", MEMORY]),
    ("depth", &["depth", "--timeout", TIME, "--memory", MEMORY]),
    ("stats", &["stats", "--timeout", TIME, "--memory", MEMORY]),
    ("plan", &["plan", "--timeout", TIME, "--memory", MEMORY]),
    (WRITE, &[]),
];

/// What to run. An empty list means everything, except for commands, where it means `check`.
#[derive(Default)]
struct Selection {
    models: Vec<String>,
    sizes: Vec<usize>,
    shapes: Vec<Shape>,
    endings: Vec<Ending>,
    values: Vec<Values>,
    commands: Vec<(&'static str, &'static [&'static str])>,
}

impl Selection {
    fn of(words: &[String], models: &[String]) -> Result<Selection, String> {
        let mut chosen = Selection::default();
        for word in words {
            let word = word.as_str();
            if let Ok(size) = word.parse() {
                chosen.sizes.push(size);
            } else if let Some(shape) = Shape::ALL.into_iter().find(|s| s.name() == word) {
                chosen.shapes.push(shape);
            } else if let Some(ending) = Ending::ALL.into_iter().find(|e| e.name() == word) {
                chosen.endings.push(ending);
            } else if let Some(values) = Values::ALL.into_iter().find(|v| v.name() == word) {
                chosen.values.push(values);
            } else if let Some(command) = COMMANDS.into_iter().find(|(name, _)| *name == word) {
                chosen.commands.push(command);
            } else if models.iter().any(|m| word.split(':').next() == Some(m)) {
                chosen.models.push(word.to_owned());
            } else {
                return Err(format!("{word} is no model, size, shape, ending, values or command"));
            }
        }
        Ok(chosen)
    }
}

fn or_all<T: Clone>(chosen: &[T], all: &[T]) -> Vec<T> {
    if chosen.is_empty() { all.to_vec() } else { chosen.to_vec() }
}

/// The command: `LINPOINT`, or the one beside this program.
fn linpoint() -> PathBuf {
    let beside = || Some(std::env::current_exe().ok()?.parent()?.join("linpoint"));
    std::env::var_os("LINPOINT").map(PathBuf::from).or_else(beside).unwrap_or_default()
}

fn models(linpoint: &Path) -> Result<Vec<String>, String> {
    let output = Command::new(linpoint).arg("models").output();
    let output = output.map_err(|e| {
        format!("{}: {e}; build it with cargo build --release, or set LINPOINT", linpoint.display())
    })?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let names = text.lines().filter(|l| !l.starts_with(' ')).filter_map(|l| l.split(':').next());
    Ok(names.map(str::to_owned).collect())
}

/// Runs what `words` select: models, sizes, shapes, endings, values, commands.
pub fn main(words: &[String], quick: bool) {
    if let Err(message) = all(words, quick) {
        eprintln!("{message}");
        std::process::exit(2);
    }
}

fn all(words: &[String], quick: bool) -> Result<(), String> {
    let linpoint = linpoint();
    let known = models(&linpoint)?;
    let chosen = Selection::of(words, &known)?;
    let sizes = or_all(&chosen.sizes, if quick { &SIZES[..1] } else { &SIZES });
    let shapes = or_all(&chosen.shapes, &Shape::ALL);
    let endings = or_all(&chosen.endings, &Ending::ALL);
    let values = or_all(&chosen.values, &Values::ALL);
    let commands = or_all(&chosen.commands, &COMMANDS[..1]);
    let directory = std::env::temp_dir().join(format!("linpoint-limits-{}", std::process::id()));
    std::fs::create_dir_all(&directory).map_err(|e| e.to_string())?;
    let bench = Bench { linpoint, directory };
    let mut largest = Largest::default();
    for model in or_all(&chosen.models, &known) {
        for &size in &sizes {
            for &values in &values {
                for &ending in &endings {
                    for &shape in &shapes {
                        let what = Case { model: model.clone(), size, values, ending, shape };
                        bench.case(&what, &commands, &mut largest)?;
                    }
                }
            }
        }
    }
    let _ = std::fs::remove_dir_all(&bench.directory);
    largest.publish(&commands);
    Ok(())
}

struct Case {
    model: String,
    size: usize,
    values: Values,
    ending: Ending,
    shape: Shape,
}

impl Case {
    fn name(&self) -> String {
        let Case { model, size, values, ending, shape } = self;
        format!("{model} {size} {} {} {}", values.name(), ending.name(), shape.name())
    }
}

struct Bench {
    linpoint: PathBuf,
    directory: PathBuf,
}

impl Bench {
    fn case(
        &self,
        case: &Case,
        commands: &[(&'static str, &'static [&'static str])],
        largest: &mut Largest,
    ) -> Result<(), String> {
        let text = match history(&self.linpoint, &case.model, case.size, case.values, case.ending) {
            Ok(operations) => case.shape.of(&operations),
            Err(reason) => {
                println!("{:<52} skipped: {reason}", case.name());
                return Ok(());
            }
        };
        if commands.iter().any(|(command, _)| *command == WRITE) {
            let name = case.name().replace([' ', ':'], "-") + ".jsonl";
            return std::fs::write(name, &text).map_err(|e| e.to_string());
        }
        let file = self.directory.join("h.jsonl");
        std::fs::write(&file, &text).map_err(|e| e.to_string())?;
        let reading = self.reading(&file)?;
        for (command, args) in commands {
            let mut took =
                Took::new(self.run(args, &file, &reading)?, &reading, text.len(), command);
            if took.overrun.is_some() {
                let reading = self.reading(&file)?;
                let again =
                    Took::new(self.run(args, &file, &reading)?, &reading, text.len(), command);
                if again.overrun.is_none() || again.late < took.late {
                    took = again;
                }
            }
            let Took { wall, cpu, late, peak, code, overrun } = &took;
            let code = code.map_or_else(|| "stopped".to_owned(), |code| format!("exit {code}"));
            println!(
                "{:<52} {command:<6} {code}  wall {:>9}  cpu {:>9}  late {:>9}  peak {:>10}  {}",
                case.name(),
                seconds(*wall),
                seconds(*cpu),
                seconds(*late),
                mib(*peak),
                overrun.as_deref().unwrap_or("")
            );
            largest.add(case, command, &took);
        }
        Ok(())
    }

    /// A check without time.
    fn reading(&self, file: &Path) -> Result<Run, String> {
        let args = ["check", "--timeout", "1ms", "--as", "tsv", &file.to_string_lossy()];
        run(&self.linpoint, &args, PATIENCE, PATIENCE).map_err(|e| e.to_string())
    }

    fn run(&self, args: &[&str], file: &Path, reading: &Run) -> Result<Run, String> {
        let page = self.directory.join("page.html");
        let (page, file) = (page.to_string_lossy(), file.to_string_lossy());
        let mut args: Vec<&str> =
            args.iter().map(|a| if *a == "PAGE" { page.as_ref() } else { *a }).collect();
        args.push(&file);
        let late = TIME_LIMIT + Duration::from_secs_f64(reading.wall);
        run(&self.linpoint, &args, late, PATIENCE).map_err(|e| e.to_string())
    }
}

/// What a case took, without reading.
#[derive(Clone)]
struct Took {
    wall: f64,
    cpu: f64,
    late: f64,
    peak: usize,
    code: Option<i32>,
    overrun: Option<String>,
}

impl Took {
    fn new(run: Run, reading: &Run, file: usize, command: &str) -> Took {
        let wall = (run.wall - reading.wall).max(0.0);
        let cpu = (run.cpu - reading.cpu).max(0.0);
        let verdicts: &[i32] = if command == "depth" { &[0] } else { &[0, 1, 3] };
        let overrun = if !run.code.is_some_and(|code| verdicts.contains(&code)) {
            Some("NO VERDICT")
        } else if run.peak > MOST_MEMORY + file {
            Some("MEMORY")
        } else if run.late_cpu > MOST_LATE {
            Some("TIME")
        } else {
            None
        };
        let Run { peak, code, late_cpu: late, .. } = run;
        Took { wall, cpu, late, peak, code, overrun: overrun.map(str::to_owned) }
    }
}

/// The largest of everything, by command and model, and by command and shape.
#[derive(Default)]
struct Largest {
    rows: Vec<(String, String, Took, usize, usize)>,
}

impl Largest {
    fn add(&mut self, case: &Case, command: &str, took: &Took) {
        for key in [case.model.clone(), format!("({})", case.shape.name())] {
            let at = self.rows.iter().position(|row| row.0 == command && row.1 == key);
            let at = at.unwrap_or_else(|| {
                let nothing =
                    Took { wall: 0.0, cpu: 0.0, late: 0.0, peak: 0, code: None, overrun: None };
                self.rows.push((command.to_owned(), key, nothing, 0, 0));
                self.rows.len() - 1
            });
            let (_, _, most, cases, overruns) = &mut self.rows[at];
            most.wall = most.wall.max(took.wall);
            most.cpu = most.cpu.max(took.cpu);
            most.late = most.late.max(took.late);
            most.peak = most.peak.max(took.peak);
            *cases += 1;
            *overruns += usize::from(took.overrun.is_some());
        }
    }

    fn publish(mut self, commands: &[(&str, &[&str])]) {
        self.rows.sort_by_key(|row| row.1.starts_with('('));
        for (command, args) in commands {
            let mut table = Table::new([
                "",
                "cases",
                "overruns",
                "largest wall",
                "largest CPU",
                "CPU after the limit",
                "largest peak",
            ]);
            for (_, key, most, cases, overruns) in self.rows.iter().filter(|r| r.0 == *command) {
                table.row(vec![
                    key.clone(),
                    cases.to_string(),
                    overruns.to_string(),
                    seconds(most.wall),
                    seconds(most.cpu),
                    seconds(most.late),
                    mib(most.peak),
                ]);
            }
            let title =
                format!("linpoint {}: largest of all cases, without reading", args.join(" "));
            table.publish(&title, &format!("limits-{command}"));
        }
    }
}
