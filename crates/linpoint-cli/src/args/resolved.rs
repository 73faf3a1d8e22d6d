//! The command line as the commands use it: names looked up, defaults filled in.

use std::path::PathBuf;

use linpoint::Limits;
use linpoint_formats::{Format, ModelName, Settings, Source, registry};

use super::raw::{self, Hints, OutputForm};
use crate::progress;

/// Columns where the terminal does not say how many it has.
const DEFAULT_WIDTH: usize = 100;

/// What to read, and how.
#[derive(Debug)]
pub struct Files {
    /// Where it is.
    pub paths: Vec<PathBuf>,
    /// The model, if it was given.
    pub model: Option<ModelName>,
    /// The format, if it was given.
    pub format: Option<Format>,
    /// Most bytes that a compressed input may have when unpacked.
    pub max_unpacked: usize,
}

impl Files {
    /// Looks up what was typed.
    pub fn new(raw: raw::Files) -> Result<Files, String> {
        Ok(Files {
            paths: raw.paths,
            model: model(raw.model.as_deref())?,
            format: raw.format.as_deref().and_then(Format::from_name),
            max_unpacked: raw.max_unpacked.unwrap_or_else(Source::usual_limit),
        })
    }
}

/// The model that was typed, if one was.
pub fn model(name: Option<&str>) -> Result<Option<ModelName>, String> {
    let model = name.map(ModelName::parse).transpose()?;
    if let Some(model) = &model {
        registry::validate(model)?;
    }
    Ok(model)
}

/// What to check, and how.
#[derive(Debug)]
pub struct How {
    /// What to read, and how.
    pub files: Files,
    /// How to check.
    pub settings: Settings,
}

impl How {
    /// Looks up what was typed.
    pub fn new(raw: raw::How) -> Result<How, String> {
        Ok(How {
            files: Files::new(raw.files)?,
            settings: Settings {
                limits: Limits { time: raw.timeout, memory: raw.memory },
                threads: raw.threads.map(usize::from),
                algorithm: raw.algorithm,
                hints: match raw.hints {
                    Hints::Ignore => linpoint::Hints::Ignore,
                    Hints::Order => linpoint::Hints::Order,
                    Hints::Assert => linpoint::Hints::Assert,
                },
                all_failures: raw.all_failures,
                ..Settings::default()
            },
        })
    }
}

/// What `check` is to do.
#[derive(Debug)]
pub struct Check {
    /// What to check, and how.
    pub how: How,
    /// How to print the results.
    pub output: OutputForm,
    /// Where to write pages.
    pub html: Option<PathBuf>,
    /// Where to write orders.
    pub witness: Option<PathBuf>,
    /// Columns of the terminal.
    pub width: usize,
    /// Whether to show how far the run has come.
    pub progress: bool,
}

impl Check {
    /// Looks up what was typed.
    pub fn new(raw: raw::Check) -> Result<Check, String> {
        let mut how = How::new(raw.how)?;
        // There is no place for an explanation.
        how.settings.verdict_only = raw.output == OutputForm::Tsv && raw.html.is_none();
        Ok(Check {
            how,
            output: raw.output,
            html: raw.html,
            witness: raw.witness,
            progress: progress::is_wanted(raw.quiet),
            width: terminal_width(),
        })
    }
}

/// Columns of the terminal.
pub fn terminal_width() -> usize {
    width(std::env::var("COLUMNS").ok())
}

fn width(columns: Option<String>) -> usize {
    let columns = columns.and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0);
    columns.unwrap_or(DEFAULT_WIDTH)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_width_is_100_unless_the_terminal_says_otherwise() {
        let width = |text: &str| super::width(Some(text.to_owned()));
        assert_eq!((width("80"), width("0"), width("wide")), (80, 100, 100));
        assert_eq!(super::width(None), 100);
    }
}
