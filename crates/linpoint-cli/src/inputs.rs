//! From the paths on the command line to histories.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use linpoint_formats::registry::{self, Found, Given, ReadLimits};
use linpoint_formats::{ModelName, Source, etcd};

use crate::args::resolved::InputOptions;
use crate::error::CommandError;
use crate::glob::Glob;

/// One input of a command.
#[derive(Debug)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// A path that cannot be read, and why.
    Bad(PathBuf, String),
}

/// The inputs that the paths on the command line name.
#[derive(Debug, Default)]
pub struct Inputs {
    /// In the order in which results are printed.
    pub list: Vec<Input>,
    /// Number of files in directories that are not histories: `*.tsv`, `README*`, hidden files.
    pub skipped: usize,
    /// What was skipped, for people: a line for each Jepsen run.
    pub notes: Vec<String>,
}

/// Which files of directories are read.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// If there are any, files are read if one of them matches.
    pub include: Vec<Glob>,
    /// Files and directories that match one of them are skipped.
    pub exclude: Vec<Glob>,
}

impl Inputs {
    /// Lists the files, walking the directories among `paths`.
    pub fn find(paths: &[PathBuf], filter: &Filter) -> Inputs {
        let mut inputs = Inputs::default();
        for path in paths {
            inputs.add(path, filter);
        }
        inputs
    }

    /// The files among the inputs.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.list.iter().filter_map(|input| match input {
            Input::File(path) => Some(&**path),
            Input::Stdin | Input::Bad(..) => None,
        })
    }

    fn add(&mut self, path: &Path, filter: &Filter) {
        if path.as_os_str() == "-" {
            let is_second = self.list.iter().any(|input| matches!(input, Input::Stdin));
            self.list.push(match is_second {
                true => {
                    Input::Bad(path.to_owned(), "standard input can be read only once".to_owned())
                }
                false => Input::Stdin,
            });
            return;
        }
        match fs::metadata(path) {
            // One history in several files.
            Ok(meta) if meta.is_dir() && etcd::is_report(path) => {
                self.list.push(Input::File(path.to_owned()));
            }
            Ok(meta) if meta.is_dir() => {
                let before = self.list.len();
                Walk { inputs: self, root: path, filter }.walk(path);
                if self.list.len() == before {
                    let is_filtered = !filter.include.is_empty() || !filter.exclude.is_empty();
                    let why = if is_filtered { " that --include and --exclude select" } else { "" };
                    let nothing = format!("the directory has no histories{why}");
                    self.list.push(Input::Bad(path.to_owned(), nothing));
                }
            }
            // A file named on the command line is never skipped.
            Ok(_) => self.list.push(Input::File(path.to_owned())),
            Err(error) => self.list.push(Input::Bad(path.to_owned(), reason(&error))),
        }
    }
}

/// A walk through a directory.
struct Walk<'a> {
    inputs: &'a mut Inputs,
    /// Patterns are about paths below this.
    root: &'a Path,
    filter: &'a Filter,
}

impl Walk<'_> {
    fn walk(&mut self, dir: &Path) {
        let entries = fs::read_dir(dir).and_then(|entries| entries.collect::<io::Result<Vec<_>>>());
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                self.inputs.list.push(Input::Bad(dir.to_owned(), reason(&error)));
                return;
            }
        };
        entries.sort_by_key(|entry| entry.file_name());
        let is_there = |name: &str| entries.iter().any(|entry| entry.file_name() == name);
        let is_store = is_there(STORE_HISTORY) && STORE_FILES.iter().any(|name| is_there(name));
        let mut of_store: Vec<String> = Vec::new();
        for entry in entries {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            // Links to directories are not followed: they could form a cycle.
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            let is_dir = path.is_dir();
            if self.excludes(&path) || (is_dir && (is_link || is_skipped(&name))) {
                self.inputs.skipped += 1;
            } else if is_dir && etcd::is_report(&path) {
                self.inputs.list.push(Input::File(path));
            } else if is_dir {
                self.walk(&path);
            } else if self.includes(&path).unwrap_or_else(|| is_history(&name, is_store)) {
                self.inputs.list.push(Input::File(path));
            } else {
                self.inputs.skipped += 1;
                of_store.extend(is_store.then_some(name));
            }
        }
        if !of_store.is_empty() && self.filter.include.is_empty() {
            let (dir, others) = (dir.display(), of_store.join(", "));
            let note = format!("{dir} is a Jepsen run: reading {STORE_HISTORY}, skipping {others}");
            self.inputs.notes.push(note);
        }
    }

    /// Whether the user asks for a file; `None` if there is no `--include`.
    fn includes(&self, path: &Path) -> Option<bool> {
        let globs = &self.filter.include;
        (!globs.is_empty()).then(|| self.is_in(globs, path))
    }

    fn excludes(&self, path: &Path) -> bool {
        self.is_in(&self.filter.exclude, path)
    }

    fn is_in(&self, globs: &[Glob], path: &Path) -> bool {
        let below = path.strip_prefix(self.root).unwrap_or(path);
        globs.iter().any(|glob| glob.matches(below))
    }
}

/// The history of a Jepsen run.
const STORE_HISTORY: &str = "history.edn";
/// Files by which the directory of a Jepsen run is recognised.
const STORE_FILES: [&str; 5] =
    ["history.txt", "jepsen.log", "results.edn", "test.fressian", "test.jepsen"];

/// True if a file is the history of a Jepsen run: one of the others is beside it.
pub fn is_store_history(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name == STORE_HISTORY)
        && STORE_FILES.iter().any(|name| file.with_file_name(name).is_file())
}

/// True if a file of a directory is read, unless the user says otherwise. Of a Jepsen run, only the history is.
fn is_history(name: &str, is_store: bool) -> bool {
    if is_store { name == STORE_HISTORY } else { !is_skipped(name) }
}

fn is_skipped(name: &str) -> bool {
    name.starts_with('.') || name.starts_with("README") || name.ends_with(".tsv")
}

/// An I/O error for the user, without the error number of the system.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::FileTooLarge => format!("{error}; --max-unpacked raises the limit"),
        _ => error.to_string(),
    }
}

/// The path from a directory to a file inside it.
fn relative_to(dir: &Path, file: &Path) -> Option<PathBuf> {
    let (dir, file) = (dir.canonicalize().ok()?, file.canonicalize().ok()?);
    file.strip_prefix(dir).ok().map(Path::to_owned)
}

fn with_id(name: String, id: Option<&str>) -> String {
    match id {
        Some(id) => format!("{name}#{id}"),
        None => name,
    }
}

impl Input {
    /// The path as given or found; `-` for standard input.
    pub fn name(&self) -> String {
        match self {
            Input::Stdin => "-".to_owned(),
            Input::File(path) | Input::Bad(path, _) => path.display().to_string(),
        }
    }

    /// The file as CI systems look for it: relative to the root of the repository in a GitHub workflow, otherwise as
    /// given or found. `None` for standard input.
    pub fn file(&self) -> Option<String> {
        let (Input::File(path) | Input::Bad(path, _)) = self else { return None };
        let root = std::env::var_os("GITHUB_WORKSPACE").map(PathBuf::from);
        let inside = root.and_then(|root| relative_to(&root, path));
        // SARIF has no absolute path with `..` in it.
        let resolved = || path.canonicalize().ok().filter(|_| path.is_absolute());
        let file = inside.or_else(resolved).unwrap_or_else(|| path.clone());
        Some(file.display().to_string())
    }

    /// The name in reports for people.
    pub fn title(&self) -> String {
        match self {
            Input::Stdin => "<stdin>".to_owned(),
            _ => self.name(),
        }
    }

    /// The name of a history in this input: `file#id` if it has an id.
    pub fn name_with(&self, id: Option<&str>) -> String {
        with_id(self.name(), id)
    }

    /// The title of a history in this input.
    pub fn title_with(&self, id: Option<&str>) -> String {
        with_id(self.title(), id)
    }

    /// Estimated size of the text in bytes; `None` if there is no estimate.
    pub fn expected_size(&self) -> Option<u64> {
        /// Typical compression ratio of histories.
        const COMPRESSION: u64 = 12;
        const PACKED: [&str; 4] = ["gz", "zst", "xz", "bz2"];
        match self {
            Input::Stdin => None,
            Input::Bad(..) => Some(0),
            Input::File(path) if path.is_dir() => None,
            Input::File(path) => {
                let size = fs::metadata(path).ok().filter(fs::Metadata::is_file)?.len();
                let packed =
                    path.extension().is_some_and(|end| PACKED.iter().any(|packed| end == *packed));
                Some(if packed { size.saturating_mul(COMPRESSION) } else { size })
            }
        }
    }

    /// The model that the user gives: on the command line, or for this file in `linpoint.toml`.
    pub fn model<'a>(&self, options: &'a InputOptions) -> Option<&'a ModelName> {
        let configured = || match self {
            Input::File(path) => options.config.model_of(path),
            Input::Stdin | Input::Bad(..) => None,
        };
        options.model.as_ref().or_else(configured)
    }

    /// What the user says about the input.
    pub fn given<'a>(&self, options: &'a InputOptions) -> Given<'a> {
        let configured = || match self {
            Input::File(path) => options.config.map_of(path),
            Input::Stdin | Input::Bad(..) => None,
        };
        Given {
            format: options.format,
            model: self.model(options),
            map: options.map.as_ref().or_else(configured),
            workload: options.workload,
        }
    }

    /// The contents. A compressed input may unpack to at most `max_unpacked` bytes.
    pub fn read(&self, max_unpacked: usize) -> Result<Source, CommandError> {
        let source = match self {
            Input::Stdin => Source::read_within(self.title(), io::stdin().lock(), max_unpacked),
            Input::File(path) => Source::open_within(path, max_unpacked),
            Input::Bad(path, why) => {
                return Err(CommandError::Input(format!("{}: {why}", path.display())));
            }
        };
        source.map_err(|error| self.unreadable(&error))
    }

    /// The histories in the input, read by this many threads, or on all cores. The text of a long file is not kept in
    /// memory if its lines are plain.
    pub fn histories(
        &self,
        options: &InputOptions,
        threads: Option<usize>,
    ) -> Result<Vec<Found>, CommandError> {
        self.histories_with(options, threads, false)
    }

    /// The same, with what only pages show if it is wanted.
    pub fn histories_with(
        &self,
        options: &InputOptions,
        threads: Option<usize>,
        details: bool,
    ) -> Result<Vec<Found>, CommandError> {
        let max_unpacked = options.max_unpacked;
        let limits = ReadLimits { threads, max_unpacked, details };
        let Input::File(path) = self else {
            let source = self.read(max_unpacked)?;
            return Ok(registry::read_source(&source, limits, self.given(options)));
        };
        registry::read_path(path, limits, self.given(options))
            .map_err(|error| self.unreadable(&error))
    }

    fn unreadable(&self, error: &io::Error) -> CommandError {
        CommandError::Input(format!("{}: {}", self.name(), reason(error)))
    }
}
