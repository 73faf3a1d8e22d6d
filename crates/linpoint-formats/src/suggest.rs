//! Suggestions for names that do not exist.

/// `did you mean "enqueue"? The …`, if one of the names is like this one; else only the rest, which begins with
/// "the".
pub fn did_you_mean(name: &str, names: &[&str], rest: &str) -> String {
    /// Clap suggests from 0.7 on, which is too often for short names.
    const LIKE: f64 = 0.8;
    /// A name of a megabyte is no misspelling.
    const LONG: usize = 64;
    let names = if name.len() > LONG { &[] } else { names };
    let alike = names.iter().map(|known| (strsim::jaro_winkler(name, known), known));
    let closest = alike.filter(|(like, _)| *like > LIKE).max_by(|a, b| a.0.total_cmp(&b.0));
    match (closest, rest.strip_prefix("the")) {
        (Some((_, known)), Some(rest)) => format!("did you mean {known:?}? The{rest}"),
        _ => rest.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn a_name_that_is_like_another_gets_a_suggestion() {
        let names = ["enqueue", "dequeue"];
        let of = |name: &str| did_you_mean(name, &names, "the names are: ...");
        assert_eq!(of("enque"), "did you mean \"enqueue\"? The names are: ...");
        assert_eq!(of("xyz"), "the names are: ...");
        assert_eq!(of(&"enqueue".repeat(1000)), "the names are: ...");
    }
}
