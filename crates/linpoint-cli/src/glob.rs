//! Patterns for files, as in `.gitignore`: `*` and `?` within a name, `**` for any directories, `{a,b}` for either.
//!
//! A pattern without `/` is about a name, wherever it is. Others are about the whole path, from the directory that the
//! pattern belongs to.

use std::path::{Component, Path};

/// `{a,b}` may stand for this many patterns.
const MAX_ALTERNATIVES: usize = 256;

/// A pattern for files.
#[derive(Clone, Debug)]
pub struct Glob {
    /// Each is a list of patterns for names. Without braces, there is one.
    alternatives: Vec<Vec<String>>,
}

impl Glob {
    /// Parses a pattern.
    pub fn new(pattern: &str) -> Result<Glob, String> {
        if pattern.contains(['[', ']', '\\']) {
            return Err(format!(
                "{pattern:?} is not a pattern: it may have *, **, ? and {{a,b}}, but no brackets or backslashes"
            ));
        }
        let mut alternatives = Vec::new();
        for one in expanded(pattern)? {
            let trimmed = one.trim_start_matches("./").trim_matches('/');
            if trimmed.is_empty() {
                return Err(format!("{pattern:?} is not a pattern: it is empty"));
            }
            let mut names: Vec<String> = trimmed.split('/').map(str::to_owned).collect();
            if !one.contains('/') {
                names.insert(0, "**".to_owned());
            }
            alternatives.push(names);
        }
        Ok(Glob { alternatives })
    }

    /// True if it matches a path, which is relative to the directory that the pattern belongs to.
    pub fn matches(&self, path: &Path) -> bool {
        let names: Vec<String> = path
            .components()
            .filter(|component| matches!(component, Component::Normal(_)))
            .map(|component| component.as_os_str().to_string_lossy().into_owned())
            .collect();
        self.alternatives.iter().any(|pattern| {
            wildcard(
                pattern,
                &names,
                |p| p == "**",
                |pattern, name| {
                    let (pattern, name): (Vec<char>, Vec<char>) =
                        (pattern.chars().collect(), name.chars().collect());
                    wildcard(&pattern, &name, |p| *p == '*', |p, c| *p == '?' || p == c)
                },
            )
        })
    }
}

/// Matches a list against patterns, some of which stand for any number of items. Takes time in proportion to the product
/// of the lengths.
fn wildcard<P, T>(
    pattern: &[P],
    items: &[T],
    is_any: impl Fn(&P) -> bool,
    is_one: impl Fn(&P, &T) -> bool,
) -> bool {
    // The last wildcard, and how many items it has been tried to stand for the end of.
    let (mut p, mut i, mut back) = (0, 0, None);
    while i < items.len() {
        match pattern.get(p) {
            Some(one) if is_any(one) => {
                back = Some((p + 1, i));
                p += 1;
                continue;
            }
            Some(one) if is_one(one, &items[i]) => {
                (p, i) = (p + 1, i + 1);
                continue;
            }
            _ => {}
        }
        let Some((after, from)) = back else { return false };
        (p, i) = (after, from + 1);
        back = Some((after, from + 1));
    }
    pattern[p..].iter().all(is_any)
}

/// The patterns that one with braces stands for.
fn expanded(pattern: &str) -> Result<Vec<String>, String> {
    let bad = |why: &str| Err(format!("{pattern:?} is not a pattern: {why}"));
    let mut done = Vec::new();
    let mut left = vec![pattern.to_owned()];
    while let Some(next) = left.pop() {
        let Some(open) = next.find('{') else {
            if next.contains('}') {
                return bad("a brace is not opened");
            }
            done.push(next);
            continue;
        };
        let Some(length) = next[open..].find('}') else { return bad("a brace is not closed") };
        let (inside, rest) = (&next[open + 1..open + length], &next[open + length + 1..]);
        if inside.contains('{') {
            return bad("braces inside of braces");
        }
        let choices = inside.split(',').map(|choice| format!("{}{choice}{rest}", &next[..open]));
        left.extend(choices);
        if left.len() + done.len() > MAX_ALTERNATIVES {
            return bad("it stands for too many patterns");
        }
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Glob::new(pattern).unwrap().matches(Path::new(path))
    }

    #[test]
    fn a_pattern_without_slash_is_about_names() {
        for path in ["a.edn", "x/a.edn", "x/y/a.edn"] {
            assert!(matches("*.edn", path) && matches("a.edn", path) && matches("?.e*n", path));
            assert!(!matches("*.jsonl", path) && !matches("edn", path) && !matches("??.edn", path));
        }
        assert!(matches("*", ".x") && matches("a*b*c", "a-b-b-c") && !matches("a*b*c", "a-b-b"));
        assert!(matches("**", "x/y"));
    }

    #[test]
    fn a_pattern_with_slash_is_about_the_path() {
        assert!(matches("x/*.edn", "x/a.edn") && matches("./x/*.edn", "./x/a.edn"));
        assert!(!matches("x/*.edn", "x/y/a.edn") && !matches("x/*.edn", "w/x/a.edn"));
        assert!(matches("x/**/*.edn", "x/a.edn") && matches("x/**/*.edn", "x/y/z/a.edn"));
        assert!(
            matches("**/y/*", "x/y/a") && matches("**/y/*", "y/a") && !matches("**/y/*", "x/a")
        );
        assert!(
            matches("x/**", "x/y/a") && matches("/a.edn", "a.edn") && !matches("/a.edn", "x/a.edn")
        );
        assert!(matches("**/a/**/b/**/c", "1/a/2/b/a/b/3/c") && !matches("**/a/**/b/c", "a/c/b"));
    }

    #[test]
    fn braces_are_alternatives() {
        assert!(matches("*.{edn,jsonl}", "x/a.jsonl") && !matches("*.{edn,jsonl}", "a.txt"));
        assert!(
            matches("{x,y}/{a,b}", "y/a") && matches("a{,.gz}", "a") && matches("a{,.gz}", "a.gz")
        );
        assert!(!matches("{x,y}/{a,b}", "z/y/a"));
    }

    #[test]
    fn what_is_not_a_pattern() {
        for pattern in ["", "/", "[a]", "a\\*", "{a", "a}", "{a,{b,c}}"] {
            assert!(Glob::new(pattern).is_err(), "{pattern}");
        }
        assert!(Glob::new(&"{a,b}".repeat(20)).unwrap_err().contains("too many"));
    }

    #[test]
    fn many_wildcards_take_little_time() {
        assert!(!matches(&("*a".repeat(200) + "b"), &"a".repeat(2000)));
        assert!(!matches(&("**/a/".repeat(100) + "b"), &"a/".repeat(1000)));
    }
}
