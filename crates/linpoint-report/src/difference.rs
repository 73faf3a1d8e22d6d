//! Long texts, shown by what tells them apart.

/// Texts up to this length are shown whole.
const SHORT: usize = 24;
/// Characters that are kept on each side of a difference, at most up to the next border of a word.
const CONTEXT: usize = 3;

/// For each text that is long and differs from the other long ones only in the middle: its middle, between
/// ellipses. `None` for the others.
pub(crate) fn differences(texts: &[&str]) -> Vec<Option<String>> {
    let chars: Vec<Vec<char>> = texts.iter().map(|text| text.chars().collect()).collect();
    let long: Vec<&Vec<char>> = chars.iter().filter(|text| text.len() > SHORT).collect();
    let distinct = long.iter().any(|text| *text != long[0]);
    let shortest = long.iter().map(|text| text.len()).min().unwrap_or(0);
    let agree = |at: &dyn Fn(&Vec<char>) -> char| long.iter().all(|text| at(text) == at(long[0]));
    let prefix = (0..shortest).take_while(|n| agree(&|text| text[*n])).count();
    let most = shortest - prefix.min(shortest);
    let suffix = (0..most).take_while(|n| agree(&|text| text[text.len() - 1 - n])).count();
    let of = |text: &Vec<char>| {
        (distinct && text.len() > SHORT).then(|| middle(text, prefix, text.len() - suffix))
    };
    chars.iter().map(of).collect()
}

/// Texts up to this length are shown whole in a sentence.
const BRIEF: usize = 60;

/// Texts for a sentence: long ones by what tells them apart, or by their beginning and their end. Different texts stay
/// different.
pub(crate) fn briefly(texts: &[&str]) -> Vec<String> {
    let is_long = |text: &str| text.chars().nth(BRIEF).is_some();
    if !texts.iter().any(|text| is_long(text)) {
        return texts.iter().map(|text| (*text).to_owned()).collect();
    }
    let by_difference = differences(texts);
    let shown: Vec<String> = texts
        .iter()
        .zip(by_difference)
        .map(|(text, difference)| match difference.filter(|text| !is_long(text)) {
            _ if !is_long(text) => (*text).to_owned(),
            Some(difference) => difference,
            None => ends(text),
        })
        .collect();
    let collide = |i: usize, j: usize| shown[i] == shown[j] && texts[i] != texts[j];
    let unclear = (0..texts.len()).any(|i| (0..i).any(|j| collide(i, j)));
    if unclear { texts.iter().map(|text| (*text).to_owned()).collect() } else { shown }
}

/// The beginning and the end of a text, and its length.
fn ends(text: &str) -> String {
    let length = text.chars().count();
    let begin: String = text.chars().take(BRIEF / 2).collect();
    let end: String = text.chars().skip(length.saturating_sub(BRIEF / 4)).collect();
    format!("{begin}\u{2026}{end} ({length} characters)")
}

/// The characters from `from` to `to` with a little context, and ellipses for the rest. Numbers and words stay
/// whole.
fn middle(text: &[char], from: usize, to: usize) -> String {
    let splits_word = |at: usize| {
        at > 0 && at < text.len() && text[at].is_alphanumeric() && text[at - 1].is_alphanumeric()
    };
    let back = |mut at: usize| {
        while splits_word(at) {
            at -= 1;
        }
        at
    };
    let forth = |mut at: usize| {
        while splits_word(at) {
            at += 1;
        }
        at
    };
    let begin = back(back(from).saturating_sub(CONTEXT));
    let end = forth((forth(to) + CONTEXT).min(text.len()));
    let ellipsis = |needed: bool| if needed { "\u{2026}" } else { "" };
    let shown: String = text[begin..end].iter().collect();
    format!("{}{shown}{}", ellipsis(begin > 0), ellipsis(end < text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_shown_by_their_difference() {
        let texts = ["[10, 20, 30, 40, 50, 60, 70, 80]", "ok", "[10, 20, 30, 41, 50, 60, 70, 80]"];
        let shown = differences(&texts);
        assert_eq!(shown[0].as_deref(), Some("\u{2026}30, 40, 50\u{2026}"));
        assert_eq!(shown[1], None);
        assert_eq!(shown[2].as_deref(), Some("\u{2026}30, 41, 50\u{2026}"));
    }

    #[test]
    fn an_element_that_is_missing_is_visible() {
        let texts = ["[100, 200, 300, 400, 500, 600]", "[100, 200, 300, 500, 600]"];
        let shown: Vec<String> = differences(&texts).into_iter().flatten().collect();
        assert_eq!(shown, ["\u{2026}300, 400, 500\u{2026}", "\u{2026}300, 500\u{2026}"]);
    }

    #[test]
    fn equal_and_single_long_texts_have_no_difference() {
        let long = "a text that is longer than a few words";
        assert_eq!(differences(&[long, long, "short"]), [None, None, None]);
        assert_eq!(differences(&[long]), [None]);
        assert_eq!(differences(&[]), []);
    }

    #[test]
    fn sentences_stay_short_and_different_values_different() {
        let long = |end: &str| format!("\"{}{end}\"", "abc ".repeat(100));
        let (a, b) = (long("x"), long("y"));
        let shown = briefly(&[&a, &b, "ok"]);
        assert!(shown.iter().all(|text| text.chars().count() < 80), "{shown:?}");
        assert!(shown[0] != shown[1] && shown[2] == "ok", "{shown:?}");
        assert_eq!(briefly(&[&a, &a])[0], briefly(&[&a])[0]);
        assert_eq!(briefly(&["short", "texts"]), ["short", "texts"]);
        // Whatever is cut, what is different stays different.
        let texts: Vec<String> = (0..40).map(|n| format!("{}{n}{}", a, long("z"))).collect();
        let shown = briefly(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let distinct: std::collections::BTreeSet<&String> = shown.iter().collect();
        assert_eq!(distinct.len(), texts.len());
    }

    #[test]
    fn no_input_panics() {
        let texts =
            ["\u{e9}, \u{e9}, \u{e9}, \u{e9}, \u{e9}, \u{e9}, \u{e9}, \u{e9}, \u{e9}", "", "x"];
        for (a, b) in texts.iter().flat_map(|a| texts.iter().map(move |b| (a, b))) {
            for n in 0..40 {
                let longer = format!("{a}{}{b}", "ab".repeat(n));
                differences(&[a, &longer, b, &format!("{longer}b"), &format!("b{longer}")]);
            }
        }
    }
}
