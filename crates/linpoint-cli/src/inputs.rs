//! From the paths on the command line to histories.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use linpoint_formats::registry::{self, Found};
use linpoint_formats::{Format, ModelName, Source};

/// Something to check, or something that cannot be.
#[derive(Debug)]
pub enum Input {
    /// The standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// A path that leads nowhere, and why.
    Bad(PathBuf, String),
}

/// What the paths on the command line stand for.
#[derive(Debug, Default)]
pub struct Inputs {
    /// In the order in which they are checked.
    pub list: Vec<Input>,
    /// Files in directories that are not histories: `*.tsv`, `README*`, hidden ones.
    pub passed_over: usize,
}

impl Inputs {
    /// Walks the directories among `paths`.
    pub fn find(paths: &[PathBuf]) -> Inputs {
        let mut inputs = Inputs::default();
        for path in paths {
            inputs.add(path);
        }
        inputs
    }

    fn add(&mut self, path: &Path) {
        if path.as_os_str() == "-" {
            let again = self.list.iter().any(|input| matches!(input, Input::Stdin));
            self.list.push(match again {
                true => Input::Bad(
                    path.to_owned(),
                    "the standard input can be read only once".to_owned(),
                ),
                false => Input::Stdin,
            });
            return;
        }
        match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => {
                let before = self.list.len();
                self.walk(path);
                if self.list.len() == before {
                    let nothing = "the directory has no histories".to_owned();
                    self.list.push(Input::Bad(path.to_owned(), nothing));
                }
            }
            // A file that is named is checked, whatever it is called.
            Ok(_) => self.list.push(Input::File(path.to_owned())),
            Err(error) => self.list.push(Input::Bad(path.to_owned(), reason(&error))),
        }
    }

    fn walk(&mut self, dir: &Path) {
        let entries = fs::read_dir(dir).and_then(|entries| entries.collect::<io::Result<Vec<_>>>());
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                self.list.push(Input::Bad(dir.to_owned(), reason(&error)));
                return;
            }
        };
        entries.sort_by_key(|entry| entry.file_name());
        for entry in entries {
            let path = entry.path();
            // Links to directories are not followed, so the walk ends.
            let linked = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if is_passed_over(&entry.file_name().to_string_lossy()) || (linked && path.is_dir()) {
                self.passed_over += 1;
            } else if path.is_dir() {
                self.walk(&path);
            } else {
                self.list.push(Input::File(path));
            }
        }
    }
}

fn is_passed_over(name: &str) -> bool {
    name.starts_with('.') || name.starts_with("README") || name.ends_with(".tsv")
}

/// What the system says, without its number.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::FileTooLarge => format!("{error}; --max-unpacked raises the limit"),
        _ => error.to_string(),
    }
}

impl Input {
    /// The path as it was given or found.
    pub fn name(&self) -> String {
        match self {
            Input::Stdin => "-".to_owned(),
            Input::File(path) | Input::Bad(path, _) => path.display().to_string(),
        }
    }

    /// The name for people.
    pub fn title(&self) -> String {
        match self {
            Input::Stdin => "<stdin>".to_owned(),
            _ => self.name(),
        }
    }

    /// How large the text is going to be, more or less; `None` if nobody knows.
    pub fn expected_size(&self) -> Option<u64> {
        /// Histories become about this much smaller.
        const COMPRESSION: u64 = 12;
        match self {
            Input::Stdin => None,
            Input::Bad(..) => Some(0),
            Input::File(path) => {
                let size = fs::metadata(path).ok().filter(fs::Metadata::is_file)?.len();
                let packed = path.extension().is_some_and(|end| end == "gz" || end == "zst");
                Some(if packed { size.saturating_mul(COMPRESSION) } else { size })
            }
        }
    }

    /// The contents. What is compressed may have `max_unpacked` bytes when unpacked.
    pub fn read(&self, max_unpacked: usize) -> Result<Source, String> {
        let source = match self {
            Input::Stdin => Source::read_within(self.title(), io::stdin().lock(), max_unpacked),
            Input::File(path) => Source::open_within(path, max_unpacked),
            Input::Bad(path, why) => return Err(format!("{}: {why}", path.display())),
        };
        source.map_err(|error| format!("{}: {}", self.name(), reason(&error)))
    }

    /// The histories in it. The text of a long file is not kept in memory if its lines are plain.
    pub fn histories(
        &self,
        format: Option<Format>,
        model: Option<&ModelName>,
        max_unpacked: usize,
    ) -> Result<Vec<Found>, String> {
        let Input::File(path) = self else {
            let source = self.read(max_unpacked)?;
            return Ok(registry::read_all(&source, format, model));
        };
        registry::read_file_within(path, max_unpacked, format, model)
            .map_err(|error| format!("{}: {}", self.name(), reason(&error)))
    }
}
