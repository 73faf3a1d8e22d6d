//! Shows a page in the browser of the user.

use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::output::Output;

/// A program that has not failed by then is showing the page. Some end at once, others when the browser is closed.
const PATIENCE: Duration = Duration::from_secs(2);

/// Programs of the system that open a page, in the order in which they are tried.
const SYSTEM: &[&[&str]] = if cfg!(target_os = "macos") {
    &[&["open"]]
} else if cfg!(windows) {
    // The empty argument is the title of a window.
    &[&["cmd", "/C", "start", ""]]
} else {
    &[&["xdg-open"], &["wslview"], &["sensible-browser"], &["x-www-browser"]]
};

/// Shows a page. It is still there if that fails, so a failure is a warning.
pub fn show(page: Option<&Path>, out: &mut Output) {
    match page {
        None => out.note("--open: there is no page to show"),
        Some(page) => {
            let file = std::path::absolute(page).unwrap_or_else(|_| page.to_owned());
            if let Err(why) = open(&file, std::env::var("BROWSER").ok()) {
                let file = file.display();
                out.warning(&format!("--open: {why}; the page is {file}"));
            }
        }
    }
}

/// Opens a file in the browser that the user names, or in that of the system.
fn open(file: &Path, browser: Option<String>) -> Result<(), String> {
    let file = file.to_string_lossy();
    let own = browser.unwrap_or_default();
    let own: Vec<Vec<String>> = commands(&own, &file).collect();
    let is_own = !own.is_empty();
    let of_system = SYSTEM.iter().map(|words| {
        words.iter().map(|word| (*word).to_owned()).chain([file.to_string()]).collect()
    });
    let all: Vec<Vec<String>> = if is_own { own } else { of_system.collect() };
    let mut failed = Vec::new();
    for words in &all {
        let Some((program, arguments)) = words.split_first() else { continue };
        let mut command = Command::new(program);
        command.args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn().and_then(fails_soon) {
            Ok(None) => return Ok(()),
            Ok(Some(why)) => failed.push(format!("{program} failed ({why})")),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !is_own => {}
            Err(error) => failed.push(format!("{program}: {error}")),
        }
    }
    Err(match failed.is_empty() {
        true => "no program was found that opens pages; $BROWSER names one".to_owned(),
        false => failed.join(", "),
    })
}

/// The commands in `$BROWSER`, which are separated like the directories of a path. `%s` stands for the file, which otherwise
/// comes last.
fn commands<'a>(browser: &'a str, file: &'a str) -> impl Iterator<Item = Vec<String>> {
    let separator = if cfg!(windows) { ';' } else { ':' };
    let commands = browser.split(separator).filter(|command| !command.trim().is_empty());
    commands.map(move |command| {
        // A path of a program may have spaces.
        let words: Vec<&str> = match Path::new(command).is_file() {
            true => vec![command],
            false => command.split_whitespace().collect(),
        };
        let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        match words.iter().any(|word| word.contains("%s")) {
            true => words.iter_mut().for_each(|word| *word = word.replace("%s", file)),
            false => words.push(file.to_owned()),
        }
        words
    })
}

/// Waits a little. How the program failed, if it did.
fn fails_soon(mut child: Child) -> io::Result<Option<String>> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait()? {
            return Ok((!status.success()).then(|| status.to_string()));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(not(windows))]
    fn browsers_are_commands() {
        let all: Vec<Vec<String>> = commands("firefox --new-tab %s: :lynx", "/a b.html").collect();
        assert_eq!(all, [vec!["firefox", "--new-tab", "/a b.html"], vec!["lynx", "/a b.html"]]);
        assert_eq!(commands("", "x").count(), 0);
    }

    #[test]
    #[cfg(unix)]
    fn what_fails_is_reported_and_the_next_one_is_tried() {
        let file = Path::new("/tmp/page.html");
        let opened = |browser: &str| open(file, Some(browser.to_owned()));
        assert_eq!(opened("/no/such/program:true"), Ok(()));
        let why = opened("false").unwrap_err();
        assert!(why.starts_with("false failed (exit status: 1)"), "{why}");
        assert!(opened("/no/such/program").unwrap_err().contains("/no/such/program"));
    }
}
