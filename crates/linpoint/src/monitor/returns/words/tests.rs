//! Sets of words, compared with lists of words.

use std::collections::BTreeSet;

use super::{EMPTY_STACK, Set, Top, Words};
use crate::monitor::Effort;

type All = BTreeSet<Vec<u32>>;

/// All words of a set, from bottom to top.
pub(in crate::monitor) fn words_of(words: &Words, set: Set) -> All {
    if words.tops(set).is_empty() {
        return All::from([Vec::new()]);
    }
    let with_top = |&(top, below): &Top| {
        words_of(words, below).into_iter().map(move |word| [word, vec![top]].concat())
    };
    words.tops(set).iter().flat_map(with_top).collect()
}

/// Pushes onto sets of one length, then unions of many pairs: a few places remember them all.
#[test]
fn unions_are_those_of_the_words() {
    let (rng, effort) = (&mut fastrand::Rng::with_seed(1), &mut Effort::constant());
    let mut words = Words::new();
    let mut sets = vec![(EMPTY_STACK, All::from([Vec::new()]))];
    let mut swept = 0;
    for length in 1..=5 {
        let pushed = |_| {
            let ((below, all), value) = (&sets[rng.usize(..sets.len())], rng.u32(..4));
            let all = all.iter().map(|word| [&word[..], &[value]].concat()).collect();
            (words.push(value, *below, effort).unwrap(), all)
        };
        sets = (0..24).map(pushed).collect();
        for step in 0..300 {
            let [a, b] = [(); 2].map(|()| rng.usize(..sets.len()));
            let union = words.union(sets[a].0, sets[b].0, effort).unwrap();
            let all = sets[a].1.union(&sets[b].1).cloned().collect();
            assert_eq!(words_of(&words, union), all, "length {length}, step {step}");
            if rng.usize(..10) == 0 {
                sets[a] = (union, all);
            }
        }
        let before = words.len();
        words.sweep(&mut |visit| sets.iter_mut().for_each(|(set, _)| visit(set)), effort).unwrap();
        swept += before - words.len();
        for (set, all) in &sets {
            assert_eq!(words_of(&words, *set), *all, "length {length}, swept");
        }
    }
    assert!(swept > 300, "{swept}");
}
