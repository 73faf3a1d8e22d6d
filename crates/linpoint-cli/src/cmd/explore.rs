//! `linpoint explore`: explores every interleaving of a model of the catalogue.

mod json;
mod run_history;
mod run_page;
mod text;

use indicatif::{ProgressBar, ProgressDrawTarget};
use linpoint::{Cancel, Limits};
use linpoint_model::catalogue::{Asked, Entry, entries, find};
use linpoint_model::{Exploration, Method, Order, Outcome, Progress, Reductions, Settings};

use super::side_files::ViolationPage;
use crate::args::explore::{ExploreArgs, Reduction};
use crate::args::names::{no_entry, not_explored};
use crate::args::raw::HumanOrJson;
use crate::args::resolved::width_for;
use crate::browser;
use crate::error::{CommandError, CommandResult};
use crate::exit::Exit;
use crate::interrupt;
use crate::output::Output;
use crate::progress;

/// What was explored: the part of the arguments that reports repeat.
pub struct Request<'a> {
    pub model: &'a str,
    pub about: &'a str,
    pub bounds: &'a Asked,
    pub order: Order,
}

/// Explores a model, or lists them.
pub fn run(args: &ExploreArgs, out: &mut Output) -> CommandResult {
    let (form, path) = args.result.settle(out);
    out.write_to(path.as_deref(), [])?;
    let jobs = args.jobs(out);
    let (Some(name), false) = (&args.model, args.list) else {
        out.write(&match form {
            HumanOrJson::Human => text::list(entries()),
            HumanOrJson::Json => json::list(entries()),
        })?;
        return Ok(Exit::Success);
    };
    let (entry, parameter) = find(name).map_err(|error| CommandError::Usage(no_entry(&error)))?;
    let bounds = bounds(args);
    let order = match Order::from_name(&args.order).unwrap_or_default() {
        Order::Random(_) => Order::Random(args.seed),
        order => order,
    };
    let request = Request { model: name, about: entry.about, bounds: &bounds, order };
    let page = ViolationPage::new(args.html.as_deref())?;
    let result = explore((args, jobs), entry, parameter, &request)?;
    if let Some(warning) = result.method.warning() {
        out.warning(&format!("{}: {warning}", result.method.name()));
    }
    out.write(&match form {
        HumanOrJson::Human => text::render(&request, &result, width_for(path.as_deref())),
        HumanOrJson::Json => json::render(&request, &result),
    })?;
    if let Outcome::Violation(violation) = &result.outcome {
        page.write(|| run_page::render(&request, violation, result.counts.time))?;
    }
    if args.open {
        let is_violation = matches!(result.outcome, Outcome::Violation(_));
        browser::show(args.html.as_deref().filter(|_| is_violation), out);
    }
    Ok(match result.outcome {
        Outcome::Clean => Exit::Success,
        Outcome::Violation(_) => Exit::Violation,
        Outcome::Limit(_) => Exit::Undecided,
    })
}

fn bounds(args: &ExploreArgs) -> Asked {
    let threads = args.threads.unwrap_or(2);
    match (&args.program, args.per_thread) {
        (Some(program), _) => Asked::Program(program.clone()),
        _ if args.unbounded => Asked::Unbounded { threads },
        (None, Some(ops)) => Asked::PerThread { threads, ops },
        (None, None) => Asked::Total { threads, ops: args.ops.unwrap_or(4) },
    }
}

fn reductions(args: &ExploreArgs) -> Reductions {
    let is_on =
        |reduction| !args.without.contains(&Reduction::All) && !args.without.contains(&reduction);
    Reductions {
        merge: is_on(Reduction::Merge),
        threads: is_on(Reduction::Threads),
        values: is_on(Reduction::Values),
        nodes: is_on(Reduction::Nodes),
    }
}

fn explore(
    (args, jobs): (&ExploreArgs, Option<usize>),
    entry: &Entry,
    parameter: Option<u8>,
    request: &Request<'_>,
) -> Result<Exploration, CommandError> {
    let cancel = Cancel::new();
    interrupt::cancel_on_ctrl_c(&cancel);
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
        order: request.order,
        reductions: reductions(args),
        limits: Limits { time: args.timeout, memory: args.memory },
        cores: jobs,
        cancel,
        progress: Some(&show),
        ..Settings::default()
    };
    let model = entry.model(request.bounds.threads(), parameter);
    let result = model.explore(request.bounds, &settings);
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    result.map_err(|error| CommandError::Usage(not_explored(&error)))
}
