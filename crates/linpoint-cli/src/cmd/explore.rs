//! `linpoint explore`: every interleaving of a model of the catalogue.

mod json;
mod text;
mod words;

use std::io;

use indicatif::{ProgressBar, ProgressDrawTarget};
use linpoint::{Cancel, Limits};
use linpoint_model::catalogue::{Asked, Entry, entries, find};
use linpoint_model::{Exploration, Method, Order, Outcome, Progress, Reductions, Settings};
use linpoint_report::html;

use crate::args::explore::{Explore, ExploreForm, Reduction};
use crate::args::resolved::terminal_width;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::Output;
use crate::progress;
use words::Words;

/// What was explored, for what is written about it.
pub struct Question<'a> {
    pub model: &'a str,
    pub about: &'a str,
    pub asked: &'a Asked,
    pub order: Order,
}

/// Explores a model, or lists them.
pub fn run(args: &Explore, out: &mut Output) -> io::Result<Exit> {
    let (Some(name), false) = (&args.model, args.list) else {
        out.write(&text::list(entries()))?;
        return Ok(Exit::Fine);
    };
    let (entry, parameter) = match find(name) {
        Ok(found) => found,
        Err(message) => {
            out.error(&format!("{message}; `linpoint explore --list` lists the models"));
            return Ok(Exit::Bad);
        }
    };
    let asked = asked(args);
    let order = match Order::from_name(&args.order).unwrap_or_default() {
        Order::Random(_) => Order::Random(args.seed),
        order => order,
    };
    let question = Question { model: name, about: entry.about, asked: &asked, order };
    let result = match explored(args, entry, parameter, &question) {
        Ok(result) => result,
        Err(message) => {
            out.error(&message);
            return Ok(Exit::Bad);
        }
    };
    if let Some(warning) = result.method.warning() {
        out.warning(&format!("{}: {warning}", result.method.name()));
    }
    out.write(&match args.output {
        ExploreForm::Human => text::render(&question, &result, terminal_width()),
        ExploreForm::Json => json::render(&question, &result),
    })?;
    if let (Some(path), Outcome::Violation(violation)) = (&args.html, &result.outcome) {
        let words = Words(violation);
        let rendered = words.rendered(&question, result.counts.time);
        std::fs::write(path, html::render(&rendered, &words, &violation.report))?;
    }
    Ok(match result.outcome {
        Outcome::Clean => Exit::Fine,
        Outcome::Violation(_) => Exit::Violation,
        Outcome::Limit(_) => Exit::Undecided,
    })
}

fn asked(args: &Explore) -> Asked {
    let threads = args.threads.unwrap_or(2);
    match (&args.program, args.per_thread) {
        (Some(program), _) => Asked::Program(program.clone()),
        _ if args.unbounded => Asked::Unbounded { threads },
        (None, Some(ops)) => Asked::PerThread { threads, ops },
        (None, None) => Asked::Total { threads, ops: args.ops.unwrap_or(4) },
    }
}

fn reductions(args: &Explore) -> Reductions {
    let is_on =
        |reduction| !args.without.contains(&Reduction::All) && !args.without.contains(&reduction);
    Reductions {
        merge: is_on(Reduction::Merge),
        threads: is_on(Reduction::Threads),
        values: is_on(Reduction::Values),
        nodes: is_on(Reduction::Nodes),
    }
}

fn explored(
    args: &Explore,
    entry: &Entry,
    parameter: Option<u8>,
    question: &Question<'_>,
) -> Result<Exploration, String> {
    let cancel = Cancel::new();
    interrupt::cancels(&cancel);
    let bar = progress::is_wanted(args.quiet).then(|| {
        let target = ProgressDrawTarget::stderr_with_hz(10);
        ProgressBar::with_draw_target(None, target)
    });
    let show = |progress: Progress| {
        if let Some(bar) = &bar {
            bar.set_message(text::progress(&progress));
            bar.tick();
        }
    };
    if let (Some(bar), Ok(style)) =
        (&bar, indicatif::ProgressStyle::with_template("{spinner} {wide_msg}"))
    {
        bar.set_style(style);
    }
    let settings = Settings {
        method: Method::from_name(&args.method).unwrap_or_default(),
        order: question.order,
        reductions: reductions(args),
        limits: Limits { time: args.timeout, memory: args.memory },
        cores: args.cores.map(Into::into),
        cancel,
        progress: Some(&show),
        ..Settings::default()
    };
    let result =
        entry.model(question.asked.threads(), parameter).explore(question.asked, &settings);
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    result.map_err(|error| error.to_string())
}
