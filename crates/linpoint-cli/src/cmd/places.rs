//! Where `--html` and `--witness` write: a file, or a directory with a file for each history.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::check::Failure;

/// Names of files are cut to this.
const MAX_NAME: usize = 120;

/// What an option writes.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The option.
    pub option: &'static str,
    /// What names of files end in.
    pub extension: &'static str,
    /// True if a file has room for more than one history.
    pub appends: bool,
}

/// Where an option writes.
pub struct Places {
    kind: Kind,
    place: PathBuf,
    is_dir: bool,
    taken: HashSet<String>,
    /// The one file, once it is open.
    file: Option<File>,
}

impl Places {
    pub fn new(kind: Kind, place: &Path) -> Places {
        let ends_in_slash =
            place.as_os_str().to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]);
        let is_dir = ends_in_slash || place.is_dir();
        Places { kind, place: place.to_owned(), is_dir, taken: HashSet::new(), file: None }
    }

    /// True if each history has a file of its own.
    pub fn is_dir(&self) -> bool {
        self.is_dir
    }

    /// Writes what belongs to a history.
    pub fn write(&mut self, name: &str, text: &str) -> Result<(), Failure> {
        let (path, written) = if self.is_dir {
            let file = self.free(name);
            let path = self.place.join(file);
            let made = fs::create_dir_all(&self.place);
            let written = made.and_then(|()| fs::write(&path, text));
            (path, written)
        } else {
            if self.file.is_some() && !self.kind.appends {
                return Err(self.is_full());
            }
            (self.place.clone(), self.append(text))
        };
        written.map_err(|error| {
            let option = self.kind.option;
            Failure::Usage(format!("{option}: cannot write {}: {error}", path.display()))
        })
    }

    fn append(&mut self, text: &str) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(File::create(&self.place)?),
        };
        file.write_all(text.as_bytes())
    }

    fn is_full(&self) -> Failure {
        let (option, place) = (self.kind.option, self.place.display());
        Failure::Usage(format!(
            "{option}: {place} has room for one history; name a directory, as in {option} {place}/"
        ))
    }

    /// A file name that no other history has, and that no system objects to.
    fn free(&mut self, name: &str) -> String {
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

    const PAGES: Kind = Kind { option: "--html", extension: ".html", appends: false };

    #[test]
    fn names_are_plain_and_never_the_same() {
        let mut pages = Places::new(PAGES, Path::new("out/"));
        let names = ["a/b.jsonl", "a-b.jsonl", "../../x", "-", "h#3"].map(|name| pages.free(name));
        let expected = ["a-b.jsonl.html", "a-b.jsonl-2.html", "x.html", "history.html", "h-3.html"];
        assert_eq!(names, expected);
    }
}
