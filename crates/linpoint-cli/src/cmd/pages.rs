//! `--html`: a page for a history, or a directory of them.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::check::Failure;

/// Names of pages are cut to this.
const MAX_NAME: usize = 120;

/// Where pages are written.
pub struct Pages {
    place: PathBuf,
    is_dir: bool,
    taken: HashSet<String>,
}

impl Pages {
    pub fn new(place: &Path) -> Pages {
        let ends_in_slash =
            place.as_os_str().to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]);
        let is_dir = ends_in_slash || place.is_dir();
        Pages { place: place.to_owned(), is_dir, taken: HashSet::new() }
    }

    /// Writes the page of a history.
    pub fn write(&mut self, name: &str, page: &str) -> Result<(), Failure> {
        let file = self.file(name)?;
        let make_dir = if self.is_dir { fs::create_dir_all(&self.place) } else { Ok(()) };
        make_dir.and_then(|()| fs::write(&file, page)).map_err(|error| {
            Failure::Usage(format!("--html: cannot write {}: {error}", file.display()))
        })
    }

    fn file(&mut self, name: &str) -> Result<PathBuf, Failure> {
        if self.is_dir {
            let name = self.free(name);
            return Ok(self.place.join(name));
        }
        if !self.taken.insert(String::new()) {
            let place = self.place.display();
            return Err(Failure::Usage(format!(
                "--html: {place} has room for one history; name a directory, as in --html {place}/"
            )));
        }
        Ok(self.place.clone())
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
                return candidate + ".html";
            }
        }
        unreachable!("there are more numbers than histories")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_never_the_same() {
        let mut pages = Pages::new(Path::new("out/"));
        let names = ["a/b.jsonl", "a-b.jsonl", "../../x", "-", "h#3"].map(|name| pages.free(name));
        let expected = ["a-b.jsonl.html", "a-b.jsonl-2.html", "x.html", "history.html", "h-3.html"];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_file_holds_one_history() {
        let mut pages = Pages::new(Path::new("no-such-dir.html"));
        assert!(pages.file("a").is_ok());
        assert!(
            matches!(pages.file("b"), Err(Failure::Usage(message)) if message.contains("one history"))
        );
    }
}
