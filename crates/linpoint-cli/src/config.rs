//! `linpoint.toml`: the models of files, by patterns.
//!
//! ```toml
//! [[histories]]
//! files = ["queue/**", "*.queue.edn"]
//! model = "queue:capacity=20"
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use linpoint_formats::{Mapping, ModelName, registry};
use serde::Deserialize;

use crate::error::CommandError;
use crate::glob::Glob;
use crate::inputs::reason;
use crate::map_file::WrittenMap;

/// The name of the file.
const NAME: &str = "linpoint.toml";

/// The file as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    histories: Vec<WrittenRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    files: Patterns,
    model: String,
    map: Option<MapOrText>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum MapOrText {
    Text(String),
    Table(Box<WrittenMap>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Patterns {
    One(String),
    Several(Vec<String>),
}

/// The models of files.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Patterns are about paths below this.
    dir: PathBuf,
    rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
struct Rule {
    files: Vec<Glob>,
    model: ModelName,
    map: Option<Mapping>,
}

impl Config {
    /// Reads the file that is given, or else the one of the current directory or the nearest directory above. Without a file,
    /// there are no models.
    pub fn load(given: Option<&Path>) -> Result<Config, CommandError> {
        let path = match given {
            Some(path) => path.to_owned(),
            None => match nearest() {
                Some(path) => path,
                None => return Ok(Config::default()),
            },
        };
        let bad = |why: &dyn std::fmt::Display| {
            CommandError::Usage(format!("{}: {}", path.display(), why.to_string().trim_end()))
        };
        let unreadable = |error: io::Error| bad(&reason(&error));
        let text = fs::read_to_string(&path).map_err(unreadable)?;
        let path_of_dir = path.canonicalize().map_err(unreadable)?;
        let written: Written = basic_toml::from_str(&text).map_err(|error| bad(&error))?;
        let rule = |rule: WrittenRule| Rule::new(rule).map_err(|why| bad(&why));
        Ok(Config {
            dir: path_of_dir.parent().unwrap_or(Path::new("/")).to_owned(),
            rules: written.histories.into_iter().map(rule).collect::<Result<_, _>>()?,
        })
    }

    /// The model of a file: that of the first entry that matches.
    pub fn model_of(&self, file: &Path) -> Option<&ModelName> {
        self.rule_of(file).map(|rule| &rule.model)
    }

    /// What the fields of a log mean, if the first entry that matches says it.
    pub fn map_of(&self, file: &Path) -> Option<&Mapping> {
        self.rule_of(file)?.map.as_ref()
    }

    fn rule_of(&self, file: &Path) -> Option<&Rule> {
        if self.rules.is_empty() {
            return None;
        }
        let file = file.canonicalize().ok()?;
        let below = file.strip_prefix(&self.dir).ok()?;
        self.rules.iter().find(|rule| rule.files.iter().any(|glob| glob.matches(below)))
    }
}

impl Rule {
    fn new(written: WrittenRule) -> Result<Rule, String> {
        let patterns = match written.files {
            Patterns::One(pattern) => vec![pattern],
            Patterns::Several(patterns) => patterns,
        };
        let files = patterns.iter().map(|pattern| Glob::new(pattern)).collect::<Result<_, _>>()?;
        let model = ModelName::parse(&written.model).map_err(|error| error.to_string())?;
        registry::custom::add_script(&model)
            .and_then(|()| registry::validate(&model))
            .map_err(|error| error.to_string().replacen("--model", "model", 1))?;
        let map = match &written.map {
            None => None,
            Some(MapOrText::Text(text)) => Some(Mapping::parse(text)),
            Some(MapOrText::Table(table)) => Some(table.mapping()),
        };
        let map = map.transpose().map_err(|error| format!("map: {error}"))?;
        Ok(Rule { files, model, map })
    }
}

/// The file in the current directory, or in the nearest directory above that has one.
fn nearest() -> Option<PathBuf> {
    let here = Path::new(NAME);
    if here.is_file() {
        return Some(here.to_owned());
    }
    let current = std::env::current_dir().ok()?;
    current.ancestors().map(|dir| dir.join(NAME)).find(|path| path.is_file())
}
