//! Links from a page to the other files of a Jepsen run.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::inputs::is_store_history;

/// What browsers show, of what Jepsen and its checkers write.
const SHOWN: [&str; 8] = ["edn", "txt", "log", "html", "png", "svg", "json", "jepsen"];
/// Link at most this many files.
const MOST: usize = 40;

/// The names of the files beside a history that is one of a Jepsen run, and the links to them from a page; `html` is the
/// argument of `--html`.
pub fn of(history: &Path, html: &Path) -> Vec<(String, String)> {
    // Where standard output is written to is not known.
    if html.as_os_str() == "-" || !is_store_history(history) {
        return Vec::new();
    }
    links(history, html).unwrap_or_default()
}

fn links(history: &Path, html: &Path) -> Option<Vec<(String, String)>> {
    let ends_in_slash =
        html.as_os_str().to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]);
    let dir = match html.is_dir() || ends_in_slash {
        true => html,
        false => html.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new(".")),
    };
    let (dir, page) = (dir.canonicalize().ok()?, html.canonicalize().ok());
    let history = history.canonicalize().ok()?;
    let entries = std::fs::read_dir(history.parent()?).ok()?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    let is_shown = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().as_encoded_bytes();
        let extension = file.extension().and_then(OsStr::to_str).unwrap_or_default();
        !name.starts_with(b".") && SHOWN.contains(&extension) && file.is_file()
    };
    files.retain(|file| is_shown(file) && *file != history && Some(file) != page.as_ref());
    files.sort();
    files.truncate(MOST);
    let link = |file: &PathBuf| {
        let name = file.file_name()?.to_string_lossy().into_owned();
        Some((name, relative(&dir, file)?))
    };
    Some(files.iter().filter_map(link).collect())
}

/// The link from a page in a directory to a file; `None` if there is none. Both paths are absolute.
fn relative(dir: &Path, file: &Path) -> Option<String> {
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (dir.components().collect(), file.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    // Another drive.
    if common == 0 {
        return None;
    }
    let up = from[common..].iter().map(|_| "..".to_owned());
    let down = to[common..].iter().map(|part| encoded(part.as_os_str()));
    Some(up.chain(down).collect::<Vec<_>>().join("/"))
}

/// A name as a segment of a URL.
fn encoded(name: &OsStr) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let segment = |byte: &u8| match plain(*byte) {
        true => char::from(*byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    name.as_encoded_bytes().iter().map(segment).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_relative_and_encoded() {
        let link = |dir: &str, file: &str| relative(Path::new(dir), Path::new(file)).unwrap();
        assert_eq!(link("/a/b", "/a/b/results.edn"), "results.edn");
        assert_eq!(link("/a/out", "/a/store/x y/20%.png"), "../store/x%20y/20%25.png");
        assert_eq!(link("/out", "/\u{e9}/javascript:1.html"), "../%C3%A9/javascript%3A1.html");
        assert_eq!(link("/a/b/c", "/a/x\"<.txt"), "../../x%22%3C.txt");
    }
}
