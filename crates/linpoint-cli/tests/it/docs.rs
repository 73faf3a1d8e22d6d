//! Every command in a `console` block of the documentation prints what the page says.
//!
//! `LINPOINT_BLESS=1` writes what they print into the pages.

use std::fs;
use std::path::PathBuf;

use crate::support::linpoint;

const PAGES: [&str; 2] = ["algorithms.md", "start.md"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Replaces durations, rates and sizes, which differ each time, by the same ones.
fn without_measurements(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut parts: Vec<&str> = line.split(' ').collect();
        for at in 1..parts.len() {
            match parts[at] {
                "µs" | "ms" | "s" => (parts[at - 1], parts[at]) = ("0.1", "ms"),
                "µs," | "ms," | "s," => (parts[at - 1], parts[at]) = ("0.1", "ms,"),
                "states/s," if ["k", "M", "G"].contains(&parts[at - 1]) => {
                    (parts[at - 2], parts[at - 1]) = ("100", "k");
                }
                // On a busy machine it may be less than a thousand.
                "states/s," => parts[at - 1] = "100 k",
                "MiB," => parts[at - 1] = "20",
                _ => {}
            }
        }
        words.push(parts.join(" ").trim_end().to_owned());
    }
    words.join("\n")
}

/// The words of a command; those in quotes belong together.
fn words(command: &str) -> Vec<&str> {
    let quoted = command.split('\'').enumerate();
    quoted
        .flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        })
        .collect()
}

/// What the command prints.
fn printed(command: &str) -> String {
    let output = linpoint(&root(), &words(command)[1..]);
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1)), "{command}: {code:?}");
    without_measurements(&String::from_utf8(output.stdout).unwrap())
}

/// The page with what its commands print.
fn refreshed(page: &str) -> String {
    let mut text = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        text += line;
        text.push('\n');
        if line != "```console" {
            continue;
        }
        for line in lines.by_ref() {
            if line == "```" {
                text += "```\n";
                break;
            }
            // The rest of the block is old output.
            if let Some(command) = line.strip_prefix("$ ") {
                text += &format!("$ {command}\n{}\n", printed(command).trim_end());
            }
        }
    }
    text
}

#[test]
fn commands_in_the_documentation_print_what_it_says() {
    for page in PAGES {
        let path = root().join("docs").join(page);
        let before = fs::read_to_string(&path).unwrap();
        let after = refreshed(&before);
        if std::env::var_os("LINPOINT_BLESS").is_some() {
            fs::write(&path, &after).unwrap();
        } else {
            assert_eq!(before, after, "{page}: LINPOINT_BLESS=1 writes what is printed");
        }
    }
}

/// The targets of the links in a page: `[text](target)`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

/// The pages of a directory.
fn pages(dir: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(dir)).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
}

#[test]
fn links_of_the_documentation_lead_somewhere() {
    let mut all = [pages("."), pages("docs"), pages("examples/histories")].concat();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let page = entry.unwrap().path().join("README.md");
        all.extend(page.exists().then_some(page));
    }
    assert!(all.len() > 20, "{all:?}");
    for page in all {
        let text = fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            let is_reserved = |end: &str| {
                let host = link.split("://").nth(1).and_then(|rest| rest.split('/').next());
                host.is_some_and(|host| host.ends_with(end))
            };
            assert!(
                ![".example", ".invalid", ".test"].iter().any(|end| is_reserved(end)),
                "{link}"
            );
            let file = link.split('#').next().unwrap();
            let is_file = !link.contains("://") && !file.is_empty();
            let target = page.parent().unwrap().join(file);
            assert!(!is_file || target.exists(), "{}: {link}", page.display());
        }
    }
}
