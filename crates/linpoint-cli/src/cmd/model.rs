//! `linpoint model`: starts scripts, and tests models of users.

use anstyle::{AnsiColor, Style};
use linpoint_custom::{STARTS, TestReport, test};
use linpoint_formats::registry::custom;

use crate::args::model::ModelCommand;
use crate::args::raw::ProgramArgs;
use crate::args::resolved;
use crate::error::{CommandError, CommandResult};
use crate::exit::Exit;
use crate::output::Output;

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// Writes a script, or tests a model.
pub fn run(command: &ModelCommand, out: &mut Output) -> CommandResult {
    match command {
        ModelCommand::New { start } => {
            let script = STARTS.iter().find(|(name, _)| name == start).map(|(_, script)| *script);
            out.write(script.unwrap_or_default())?;
            Ok(Exit::Success)
        }
        ModelCommand::Test { model, model_command, seed } => {
            let program = ProgramArgs { model_command: model_command.clone(), model_timeout: None };
            // Every name is a path here.
            let path = model.as_ref().map(|name| match custom::is_script(name) {
                true => name.clone(),
                false => format!("./{name}"),
            });
            let name = resolved::model_or_program(path.as_deref(), &program)?;
            let made = name.as_ref().map(custom::model).transpose();
            let made = made.map_err(CommandError::usage)?.flatten();
            let made =
                made.ok_or_else(|| CommandError::usage("give a script or --model-command"))?;
            let report = test(&made, *seed).map_err(CommandError::input)?;
            let name = name.map(|name| name.to_string()).unwrap_or_default();
            out.write(&in_words(&name, &report))?;
            let is_fine = report.false_claim.is_none() && report.differs.is_none();
            Ok(if is_fine { Exit::Success } else { Exit::Violation })
        }
    }
}

fn in_words(name: &str, report: &TestReport) -> String {
    let TestReport { ops, steps, states, performed, false_claim, differs, time } = report;
    let mut text = String::new();
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    let micros = time.as_secs_f64() * 1e6 / (*steps).max(1) as f64;
    line(format!("{name}: {steps} steps, {states} states, {micros:.1} µs a step"));
    for (name, done, waited) in performed {
        let waits = match (done, waited) {
            (0, _) => "never enabled".to_owned(),
            (_, 0) => "always enabled".to_owned(),
            _ => format!("not enabled {waited} times"),
        };
        line(format!("  {name}: performed {done} times, {waits}"));
    }
    line(format!("  claims tested with {}", shortened(ops)));
    match (differs, false_claim) {
        (Some(what), _) => {
            line(format!("{BAD}not deterministic{BAD:#}: two different answers for {what}"));
        }
        (None, Some(claim)) => line(format!("{BAD}a claim is false{BAD:#}: {claim}")),
        (None, None) => {
            line(format!("{GOOD}no claim is false, and equal questions had equal answers{GOOD:#}"))
        }
    }
    text
}

fn shortened(ops: &[String]) -> String {
    const SHOWN: usize = 6;
    let more = ops.len().saturating_sub(SHOWN);
    let shown = ops[..ops.len() - more].join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
