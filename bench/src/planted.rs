//! How often default stress tests find bugs: the gallery's broken structures and six of its own, on an
//! idle machine and beside two busy loops.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use linpoint::Spec;
use linpoint_gallery::exhibits::{ALL, Scale, Visitor, visit_plain};
use linpoint_test::report::Files;
use linpoint_test::{Stress, Test};

use crate::bugs::{self, Bug};
use crate::table::Table;

/// The outcome of one call: how long it took to find the failure, or that it passed.
pub type Outcome = Option<Duration>;

/// `linpoint-bench planted [CALLS] [idle] [loaded] [NAME...]`.
pub fn main(selection: &[String], quick: bool) {
    let calls = selection.iter().find_map(|word| word.parse().ok());
    let calls: u32 = calls.unwrap_or(if quick { 2 } else { 20 });
    let is_chosen = |words: &[&str], word: &str| {
        let mut chosen = selection.iter().filter(|s| words.contains(&s.as_str())).peekable();
        chosen.peek().is_none() || chosen.any(|s| s == word)
    };
    let bugs = all();
    let names: Vec<&str> = bugs.iter().map(|(name, _)| *name).collect();
    let mut table = Table::new(["bug", "machine", "found", "mean [ms]", "longest [ms]"]);
    let mut found = [0, 0];
    for (place, loops) in [("idle", 0), ("loaded", 2)] {
        if !is_chosen(&["idle", "loaded"], place) {
            continue;
        }
        let _load = Load::new(loops);
        for (name, call) in bugs.iter().filter(|(name, _)| is_chosen(&names, name)) {
            let times: Vec<Duration> = (0..calls).filter_map(|_| call()).collect();
            found[usize::from(loops > 0)] += times.len();
            let millis = |time: Duration| format!("{:.0}", time.as_secs_f64() * 1e3);
            let mean = times.iter().sum::<Duration>() / times.len().max(1) as u32;
            let longest = times.iter().max().copied().unwrap_or_default();
            eprintln!("{name}, {place}: {} of {calls}, {}", times.len(), millis(mean));
            let share = format!("{} of {calls}", times.len());
            let cells = [*name, place].map(str::to_owned);
            table.row([cells.to_vec(), vec![share, millis(mean), millis(longest)]].concat());
        }
    }
    table.publish(
        "Bugs found by default stress tests: calls that fail, time to the failure",
        "planted",
    );
}

fn all() -> Vec<Bug> {
    let mut bugs: Vec<Bug> = bugs::all();
    for exhibit in ALL.iter().filter(|exhibit| exhibit.flaw.is_some()) {
        let scale = Scale { threads: 3, operations: 20 };
        let call = move || visit_plain(exhibit.name, scale, Call).expect("it is in the gallery");
        bugs.push((exhibit.name, Box::new(call)));
    }
    bugs
}

struct Call;

impl Visitor for Call {
    type Out = Outcome;
    fn visit<T, S>(self, test: Test<T, S>) -> Outcome
    where
        T: Send + Sync + 'static,
        S: Spec + Send + 'static,
    {
        call(test.stress())
    }
}

/// One call with default settings, except that nothing is shrunk or written.
pub fn call<T, S>(stress: Stress<T, S>) -> Outcome
where
    T: Send + Sync + 'static,
    S: Spec + Send + 'static,
{
    let stress = stress.files(Files::none()).shrink_time(Duration::ZERO);
    let begin = Instant::now();
    let report = stress.try_run().err()?;
    Some(begin.elapsed().saturating_sub(report.explaining))
}

/// Busy loops in processes of their own, until this is dropped.
struct Load(Vec<Child>);

impl Load {
    fn new(loops: usize) -> Load {
        let spawn = |_| {
            let mut shell = Command::new("sh");
            shell.args(["-c", "while :; do :; done"]).stdin(Stdio::null());
            shell.spawn().expect("a shell starts")
        };
        Load((0..loops).map(spawn).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
