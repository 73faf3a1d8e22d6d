//! The files of `--html`, `--witness` and `--plot`: one file, or a directory with one file per history.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::CommandError;

/// The file with the table of all pages in a directory, without the extension.
const INDEX: &str = "index";
/// File names are cut to this many characters, without the extension.
const MAX_NAME: usize = 120;

/// A kind of side file.
#[derive(Clone, Copy, Debug)]
pub struct SideFileKind {
    /// The option that asks for it.
    pub option: &'static str,
    /// The extension of its files.
    pub extension: &'static str,
    /// True if one file can hold several histories.
    pub holds_several: bool,
}

/// The side files of one option.
pub struct SideFiles {
    kind: SideFileKind,
    path: PathBuf,
    is_dir: bool,
    /// Names in use, without the extension.
    taken: HashSet<String>,
    /// The single file, once it is open.
    file: Option<Box<dyn Write>>,
    /// True once something has been written to the single file.
    is_used: bool,
}

fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn unwritable(option: &str, path: &Path, error: &io::Error) -> CommandError {
    CommandError::Usage(format!("{option}: cannot write {}: {error}", path.display()))
}

/// Opens a file for writing, without changing it. One that did not exist does not exist afterwards.
fn try_to_write(path: &Path) -> io::Result<()> {
    let is_new = !path.exists();
    // The reader of a pipe would see its end.
    if !is_new && !path.is_file() {
        return Ok(());
    }
    drop(File::options().append(true).create(is_new).open(path)?);
    if is_new { fs::remove_file(path) } else { Ok(()) }
}

/// The page of a violation, if one is found.
pub struct ViolationPage<'a>(Option<&'a Path>);

impl<'a> ViolationPage<'a> {
    /// Makes sure, before any work is done for it, that the file can be written. It is created with the page.
    pub fn new(path: Option<&'a Path>) -> Result<ViolationPage<'a>, CommandError> {
        let Some(path) = path else { return Ok(ViolationPage(None)) };
        if is_stdout(path) {
            return Ok(ViolationPage(Some(path)));
        }
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
        match dir.map_or(Ok(()), |dir| dir.read_dir().map(drop)) {
            Ok(()) if path.is_dir() => {
                Err(unwritable("--html", path, &io::ErrorKind::IsADirectory.into()))
            }
            Ok(()) => match try_to_write(path) {
                Ok(()) => Ok(ViolationPage(Some(path))),
                Err(error) => Err(unwritable("--html", path, &error)),
            },
            Err(error) => Err(unwritable("--html", path, &error)),
        }
    }

    /// True if it is written to standard output.
    pub fn is_stdout(&self) -> bool {
        self.0.is_some_and(is_stdout)
    }

    /// Writes the page, if it was asked for.
    pub fn write(&self, page: impl FnOnce() -> String) -> Result<(), CommandError> {
        match self.0 {
            None => Ok(()),
            Some(path) if is_stdout(path) => Ok(io::stdout().write_all(page().as_bytes())?),
            Some(path) => {
                fs::write(path, page()).map_err(|error| unwritable("--html", path, &error))
            }
        }
    }
}

impl SideFiles {
    pub fn new(kind: SideFileKind, path: &Path) -> SideFiles {
        let ends_in_slash =
            path.as_os_str().to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]);
        let is_dir = ends_in_slash || path.is_dir();
        let (path, taken) = (path.to_owned(), HashSet::from([INDEX.to_owned()]));
        SideFiles { kind, path, is_dir, taken, file: None, is_used: false }
    }

    /// True if it is written to standard output.
    pub fn is_stdout(&self) -> bool {
        is_stdout(&self.path)
    }

    /// Creates the file or directory before any work is done for it. `inputs` is the number of inputs, each of which has at
    /// least one history.
    pub fn prepare(&mut self, inputs: usize) -> Result<(), CommandError> {
        if self.is_dir {
            return fs::create_dir_all(&self.path)
                .map_err(|error| self.unwritable(&self.path, &error));
        }
        if inputs > 1 && !self.kind.holds_several {
            return Err(self.full());
        }
        self.open().map(drop).map_err(|error| self.unwritable(&self.path, &error))
    }

    fn open(&mut self) -> io::Result<&mut Box<dyn Write>> {
        let opened = match self.file.take() {
            Some(file) => file,
            None if self.is_stdout() => Box::new(io::stdout()),
            None => Box::new(File::create(&self.path)?),
        };
        Ok(self.file.insert(opened))
    }

    fn unwritable(&self, path: &Path, error: &io::Error) -> CommandError {
        unwritable(self.kind.option, path, error)
    }

    /// True if each history has its own file.
    pub fn is_dir(&self) -> bool {
        self.is_dir
    }

    /// Writes the text that belongs to a history. Returns the file.
    pub fn write(&mut self, name: &str, text: &str) -> Result<PathBuf, CommandError> {
        let (path, written) = if self.is_dir {
            let file = self.free_name(name);
            let path = self.path.join(file);
            let created = fs::create_dir_all(&self.path);
            let written = created.and_then(|()| fs::write(&path, text));
            (path, written)
        } else {
            if self.is_used && !self.kind.holds_several {
                return Err(self.full());
            }
            self.is_used = true;
            (self.path.clone(), self.open().and_then(|file| file.write_all(text.as_bytes())))
        };
        match written {
            Ok(()) => Ok(path),
            // A reader that has seen enough, as of any other output.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe && self.is_stdout() => {
                Err(CommandError::Output(error))
            }
            Err(error) => Err(self.unwritable(&path, &error)),
        }
    }

    /// Writes the table of all files into their directory. Returns the file.
    pub fn write_index(&self, text: &str) -> Result<PathBuf, CommandError> {
        let path = self.path.join(format!("{INDEX}{}", self.kind.extension));
        match fs::write(&path, text) {
            Ok(()) => Ok(path),
            Err(error) => Err(self.unwritable(&path, &error)),
        }
    }

    fn full(&self) -> CommandError {
        let (option, path) = (self.kind.option, self.path.display());
        CommandError::Usage(format!(
            "{option}: {path} has room for one history; name a directory, as in {option} {path}/"
        ))
    }

    /// An unused file name that is valid on every system.
    fn free_name(&mut self, name: &str) -> String {
        let plain = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' };
        let plain: String = name.chars().map(plain).take(MAX_NAME).collect();
        let stem = match plain.trim_start_matches(['.', '-']) {
            "" => "history",
            stem => stem,
        };
        let candidates =
            std::iter::once(stem.to_owned()).chain((2..).map(|n| format!("{stem}-{n}")));
        for candidate in candidates {
            if self.taken.insert(candidate.clone()) {
                return candidate + self.kind.extension;
            }
        }
        unreachable!("there are more numbers than histories")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGES: SideFileKind =
        SideFileKind { option: "--html", extension: ".html", holds_several: false };

    #[test]
    fn names_are_portable_and_unique() {
        let mut pages = SideFiles::new(PAGES, Path::new("out/"));
        let names = ["a/b.jsonl", "a-b.jsonl", "../../x", "-", "h#3", "index"]
            .map(|name| pages.free_name(name));
        let expected = [
            "a-b.jsonl.html",
            "a-b.jsonl-2.html",
            "x.html",
            "history.html",
            "h-3.html",
            "index-2.html",
        ];
        assert_eq!(names, expected);
    }
}
