//! Long texts, shown by their differences.

/// Texts up to this length are shown whole.
const SHORT: usize = 24;
/// Characters that are kept on each side of a difference, at most up to the next border of a word.
const CONTEXT: usize = 3;
/// Words of more characters than this are cut.
const LONG_WORD: usize = 16;

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

/// Texts for a sentence: long ones by their differences, or by their beginning and their end. Different texts stay
/// different.
pub(crate) fn briefly(texts: &[&str]) -> Vec<String> {
    apart(texts, BRIEF)
}

/// The same, where texts are long if they have more than `limit` characters. Texts that are not are shown whole.
pub(crate) fn apart(texts: &[&str], limit: usize) -> Vec<String> {
    let is_long = |text: &str| text.chars().nth(limit).is_some();
    if !texts.iter().any(|text| is_long(text)) {
        return texts.iter().map(|text| (*text).to_owned()).collect();
    }
    let of = |(text, difference): (&&str, Option<String>)| match difference {
        _ if !is_long(text) => (*text).to_owned(),
        Some(difference) if !is_long(&difference) => difference,
        _ => Some(ends(text, limit))
            .filter(|ends| ends.len() < text.len())
            .unwrap_or((*text).to_owned()),
    };
    let mut shown: Vec<String> = texts.iter().zip(differences(texts)).map(of).collect();
    for at in 0..texts.len() {
        let alike: Vec<usize> = (at..texts.len()).filter(|i| shown[*i] == shown[at]).collect();
        if alike.iter().any(|i| texts[*i] != texts[at]) {
            let group: Vec<&str> = alike.iter().map(|i| texts[*i]).collect();
            for (i, text) in alike.iter().zip(from_first_difference(&group, limit)) {
                shown[*i] = text;
            }
        }
    }
    shown
}

/// The beginning and the end of a text, and its length.
fn ends(text: &str, limit: usize) -> String {
    let length = text.chars().count();
    let begin: String = text.chars().take(limit / 2).collect();
    let end: String = text.chars().skip(length.saturating_sub(limit / 4)).collect();
    format!("{begin}\u{2026}{end} ({length} characters)")
}

/// Texts that look the same when they are cut, from where they begin to differ. Those that still look the same get a
/// number.
fn from_first_difference(texts: &[&str], limit: usize) -> Vec<String> {
    let chars: Vec<Vec<char>> = texts.iter().map(|text| text.chars().collect()).collect();
    let agree = |at: &usize| chars.iter().all(|text| text.get(*at) == chars[0].get(*at));
    let first = (0..chars[0].len()).take_while(agree).count();
    let from = first.saturating_sub(CONTEXT);
    let mut distinct: Vec<&str> = Vec::new();
    let mut shown: Vec<String> = Vec::new();
    for (text, chars) in texts.iter().zip(&chars) {
        let window: String = chars.iter().skip(from).take(limit / 2).collect();
        let number = distinct.iter().position(|known| known == text);
        let number = number.unwrap_or(distinct.len());
        if number == distinct.len() {
            distinct.push(text);
        }
        let brief = format!("\u{2026}{window}\u{2026} ({} characters)", chars.len());
        let same = |(shown, other): (&String, &&str)| *shown == brief && other != text;
        let is_taken = shown.iter().zip(texts).any(same);
        shown.push(if is_taken { format!("{brief} [value {}]", number + 1) } else { brief });
    }
    shown
}

/// The characters from `from` to `to` with a little context, and ellipses for the rest. Numbers and words stay
/// whole.
fn middle(text: &[char], from: usize, to: usize) -> String {
    let splits_word = |at: usize| {
        at > 0 && at < text.len() && text[at].is_alphanumeric() && text[at - 1].is_alphanumeric()
    };
    let back = |from: usize| {
        let word = (0..=from.min(LONG_WORD)).map(|n| from - n).find(|at| !splits_word(*at));
        word.unwrap_or(from)
    };
    let forth = |to: usize| {
        let word = (to..=to + LONG_WORD).find(|at| !splits_word(*at));
        word.unwrap_or(to)
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
        assert!(shown.iter().all(|text| text.chars().count() < 80), "{shown:?}");
    }

    #[test]
    fn a_long_word_is_cut_around_the_difference() {
        let word = |last: char| format!("\"{}{last}\"", "x".repeat(60_000));
        let shown = briefly(&[&word('a'), &word('b')]);
        assert!(shown[0].ends_with("xxxa\"") && shown[1].ends_with("xxxb\""), "{shown:?}");
        assert!(shown.iter().all(|text| text.chars().count() < 30), "{shown:?}");
        // Two differences that are far from each other, and a third text that differs only in the second one.
        let two = |a: char, b: char| {
            format!("{}{a}{}{b}{}", "x".repeat(99), "y".repeat(200), "z".repeat(99))
        };
        let (first, second, third) = (two('1', '2'), two('3', '4'), two('1', '5'));
        let shown = briefly(&[&first, &second, &third, &first]);
        assert!(shown[0] != shown[1] && shown[1] != shown[2] && shown[0] != shown[2], "{shown:?}");
        assert_eq!(shown[0], shown[3]);
        assert!(shown.iter().all(|text| text.chars().count() < 80), "{shown:?}");
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
