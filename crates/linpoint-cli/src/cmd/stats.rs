//! `linpoint stats`: prints what a history can reveal, without a verdict.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use linpoint::{Allowance, Limits};
use linpoint_formats::registry::{self, Unjoined};
use linpoint_formats::stats::{Kind, Stats, doubling, stats};
use linpoint_formats::{ReadError, Source, Value, to_json};
use linpoint_report::json::limit_name;
use linpoint_report::plot::{self, Plot};
use linpoint_report::text::count;

use super::plotted::plot_of;
use super::side_files::{SideFileKind, SideFiles};
use crate::args::raw::HumanOrJson;
use crate::args::resolved::InputOptions;
use crate::args::stats::StatsArgs;
use crate::error::{CommandError, CommandResult};
use crate::exit::Exit;
use crate::inputs::Inputs;
use crate::output::Output;

const PLOTS: SideFileKind =
    SideFileKind { option: "--plot", extension: ".svg", holds_several: false };

const NAME: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();
const WARNING: Style = AnsiColor::Yellow.on_default();
/// Length of the longest bar of the histogram.
const MAX_BAR: usize = 40;

/// Prints the statistics of every history.
pub fn run(args: StatsArgs, out: &mut Output) -> CommandResult {
    let (form, path) = args.result.settle(out);
    let options = InputOptions::new(args.inputs)?;
    let inputs = Inputs::find(&options.paths, &options.filter);
    out.write_to(path.as_deref(), inputs.files())?;
    let mut exit = Exit::Success;
    let mut plots = args.plot.as_deref().map(|path| SideFiles::new(PLOTS, path));
    if let Some(plots) = &mut plots {
        plots.prepare(inputs.list.len())?;
    }
    let is_silent = plots.as_ref().is_some_and(SideFiles::is_stdout);
    for input in &inputs.list {
        let all: Vec<DescribedHistory> = match input.read(options.max_unpacked) {
            Ok(source) => {
                let limits = args.limits.into();
                let described = |read| described(&source, read, &limits, plots.is_some());
                let read = registry::read_raw(&source, input.given(&options));
                read.into_iter().map(described).collect()
            }
            Err(error) => vec![(None, Err(error))],
        };
        for (id, described) in all {
            match described {
                Ok(Described { stats, plot }) => {
                    if stats.limit.is_some() {
                        exit = exit.max(Exit::Undecided);
                    }
                    let name = input.name_with(id.as_deref());
                    if let (Some(plots), Some(plot)) = (&mut plots, plot) {
                        plots.write(&name, &plot::render(&plot, plot::Place::File(&name)))?;
                    }
                    if is_silent {
                        continue;
                    }
                    out.write(&match form {
                        HumanOrJson::Human => human(&name, &stats),
                        HumanOrJson::Json => json(&name, &stats),
                    })?;
                }
                Err(error) => {
                    out.flush()?;
                    out.error(&error.to_string());
                    exit = Exit::Error;
                }
            }
        }
    }
    Ok(exit)
}

/// What is said about a history.
struct Described {
    stats: Stats,
    plot: Option<Plot>,
}

/// The id of one history and what is said about it, or why there is nothing to say.
type DescribedHistory = (Option<String>, Result<Described, CommandError>);

fn described(
    source: &Source,
    read: Result<Unjoined, ReadError>,
    limits: &Limits,
    wants_plot: bool,
) -> DescribedHistory {
    match read {
        Ok(Unjoined { raw, model }) => {
            let stats = stats(source, &raw, model.as_ref(), &Allowance::new(limits));
            let plot = wants_plot.then(|| plot_of(&raw));
            let described = stats.map(|stats| Described { stats, plot });
            (raw.id, described.map_err(CommandError::input))
        }
        Err(error) => (None, Err(CommandError::input(error))),
    }
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

fn human(name: &str, stats: &Stats) -> String {
    let mut text = heading(name, stats);
    let total = stats.operations;
    for (i, kind) in stats.kinds.iter().enumerate() {
        row(&mut text, if i == 0 { "operations" } else { "" }, &kind_line(kind));
    }
    if let Some(revealed) = &stats.revealed {
        let informative = revealed.informative;
        let share = percent(informative, total);
        row(&mut text, "results", &format!("{informative} of {total} are informative ({share})"));
        if let [largest, _, ..] = revealed.parts[..] {
            let (parts, operations) = (revealed.parts.len(), count(largest, "operation"));
            let line = format!("{parts} independent, the largest with {operations}");
            row(&mut text, "parts", &line);
        }
    }
    if let Some(line) = ambiguous_line(stats) {
        row(&mut text, "ambiguous", &line);
    }
    if stats.values.written > 0 {
        let (distinct, repeated) = (stats.values.distinct, stats.values.repeated);
        let line = format!("{distinct} distinct, {repeated} of them used more than once");
        row(&mut text, "values", &line);
    }
    let overlap = &stats.concurrency;
    let (max, mean) = (overlap.max, overlap.mean_others);
    row(&mut text, "overlap", &format!("at most {max} at once; {mean:.2} others at a call"));
    histogram(&overlap.others_at_call, &mut text);
    for warning in &stats.warnings {
        let _ = writeln!(text, "  {WARNING}warning{WARNING:#}      {warning}");
    }
    text
}

fn row(text: &mut String, what: &str, value: &str) {
    let _ = writeln!(text, "  {QUIET}{what:<12}{QUIET:#} {value}");
}

fn heading(name: &str, stats: &Stats) -> String {
    let mut text = format!("{NAME}{name}{NAME:#}  {}", count(stats.operations, "operation"));
    if let Some(model) = &stats.model {
        let _ = write!(text, " of {model}");
    }
    let _ = match stats.processes {
        0 => Ok(()),
        n => write!(text, ", {}", count(n, "client")),
    };
    if stats.objects > 0 {
        let _ = write!(text, ", {}", count(stats.objects, "object"));
    }
    text.push('\n');
    text
}

fn kind_line(kind: &Kind) -> String {
    // Names come from a file, so control characters are escaped.
    let mut line = format!("{} {}", kind.count, Value::str(&kind.name).bare());
    let known = kind.count - kind.pending - kind.unknown;
    let mut notes = Vec::new();
    match kind.informative {
        0 => {}
        n if n == known => notes.push("all informative".to_owned()),
        n => notes.push(format!("{n} informative")),
    }
    for (n, what) in [(kind.unknown, "unknown"), (kind.pending, "pending")] {
        if n > 0 {
            notes.push(format!("{n} {what}"));
        }
    }
    if !notes.is_empty() {
        let _ = write!(line, " ({})", notes.join(", "));
    }
    line
}

fn ambiguous_line(stats: &Stats) -> Option<String> {
    let Stats { pending, unknown, partly_unknown, .. } = stats;
    if pending + unknown + partly_unknown == 0 {
        return None;
    }
    let share = percent(pending + unknown, stats.operations);
    let mut line =
        format!("{pending} never returned, {unknown} returned an unknown result ({share})");
    if *partly_unknown > 0 {
        let _ = write!(line, ", {partly_unknown} a partly unknown result");
    }
    Some(line)
}

/// How many operations were called while how many others were open, one bar per range.
fn histogram(others_at_call: &[usize], text: &mut String) {
    let steps = doubling(others_at_call);
    let most = steps.iter().map(|(.., operations)| *operations).max().unwrap_or(0).max(1);
    for (from, to, operations) in steps {
        let others = if from == to { from.to_string() } else { format!("{from}-{to}") };
        let bar = "=".repeat((operations * MAX_BAR).div_ceil(most));
        let _ = writeln!(text, "  {:<12} {others:>7} {bar} {operations}", "");
    }
}

fn json(name: &str, stats: &Stats) -> String {
    let quoted = |text: &str| to_json(&Value::str(text));
    let list = |numbers: &[usize]| {
        let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
        format!("[{}]", numbers.join(","))
    };
    let mut text = format!("{{\"file\":{},\"operations\":{}", quoted(name), stats.operations);
    let model = stats.model.as_ref().map_or("null".to_owned(), |model| quoted(&model.to_string()));
    let _ = write!(text, ",\"model\":{model},\"kinds\":[");
    for (i, kind) in stats.kinds.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        let _ = write!(
            text,
            "{comma}{{\"name\":{},\"count\":{},\"pending\":{},\"unknown\":{},\"telling\":{}}}",
            quoted(&kind.name),
            kind.count,
            kind.pending,
            kind.unknown,
            kind.informative
        );
    }
    let _ = write!(text, "],\"processes\":{},\"objects\":{}", stats.processes, stats.objects);
    let overlap = &stats.concurrency;
    let _ = write!(
        text,
        ",\"concurrency\":{{\"max\":{},\"mean_others\":{:.6},\"others_at_call\":{}}}",
        overlap.max,
        overlap.mean_others,
        list(&overlap.others_at_call)
    );
    let _ = write!(
        text,
        ",\"pending\":{},\"unknown\":{},\"partly_unknown\":{}",
        stats.pending, stats.unknown, stats.partly_unknown
    );
    let values = stats.values;
    let _ = write!(
        text,
        ",\"values\":{{\"written\":{},\"distinct\":{},\"repeated\":{}}}",
        values.written, values.distinct, values.repeated
    );
    if let Some(revealed) = &stats.revealed {
        let _ = write!(
            text,
            ",\"telling\":{},\"changing\":{},\"parts\":{},\"largest_part\":{}",
            revealed.informative,
            revealed.changing,
            revealed.parts.len(),
            revealed.parts.first().copied().unwrap_or(0)
        );
    }
    if let Some(limit) = stats.limit {
        let _ = write!(text, ",\"limit\":{}", quoted(limit_name(limit)));
    }
    let warnings: Vec<String> = stats.warnings.iter().map(|warning| quoted(warning)).collect();
    let _ = writeln!(text, ",\"warnings\":[{}]}}", warnings.join(","));
    text
}
