//! Sets of contents, compared with lists of all contents.

use std::collections::{BTreeSet, VecDeque};

use super::contents::Contents;
use super::ends::End;
use super::recut::recut;
use crate::monitor::Effort;
use crate::monitor::returns::graph::Contents as _;
use crate::monitor::returns::words::Words;
use crate::monitor::returns::words::tests::words_of;

type All = BTreeSet<VecDeque<u32>>;

fn all_of(words: &Words, contents: &Contents) -> All {
    let mut all = All::new();
    for [front, back] in &contents.pairs {
        for front in words_of(words, *front) {
            assert_eq!(front.len(), contents.half(End::Front));
            for back in words_of(words, *back) {
                assert_eq!(back.len(), contents.half(End::Back));
                all.insert(front.iter().rev().chain(&back).copied().collect());
            }
        }
    }
    all
}

fn push(all: &All, end: End, value: u32) -> All {
    let mut all: Vec<VecDeque<u32>> = all.iter().cloned().collect();
    for contents in &mut all {
        match end {
            End::Front => contents.push_front(value),
            End::Back => contents.push_back(value),
        }
    }
    all.into_iter().collect()
}

fn pop(all: &All, end: End, value: u32) -> All {
    let rest = |contents: &VecDeque<u32>| {
        let mut contents = contents.clone();
        let found = match end {
            End::Front => contents.pop_front(),
            End::Back => contents.pop_back(),
        };
        (found == Some(value)).then_some(contents)
    };
    all.iter().filter_map(rest).collect()
}

/// Pushes, pops and unions at random, in deques that grow from the start, shrink later, and often
/// grow at one end and shrink at the other, so that the cut moves.
#[test]
fn sets_of_contents_are_what_they_stand_for() {
    let long = std::env::var_os("LINPOINT_LONG").is_some();
    let (most, seeds) = if long { (300, 60) } else { (50, 12) };
    let (mut moved, mut ambiguous) = (0, 0);
    for seed in 0..seeds {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let effort = &mut Effort::constant();
        let mut words = Words::new();
        let mut contents = Contents::empty();
        let mut all = All::from([VecDeque::new()]);
        let steady = [End::Front, End::Back][rng.usize(..2)];
        for step in 0..160 {
            let grows = step < 60 || rng.usize(..4) < 2;
            let end = if rng.usize(..4) == 0 { steady.other() } else { steady };
            let end = if grows { end } else { end.other() };
            let [a, b] = [rng.u32(..4), rng.u32(..4)];
            if grows && rng.usize(..6) == 0 && all.len() < most {
                // Two pushes in either order.
                let twice = |all: &All, a, b| push(&push(all, end, a), end, b);
                all = twice(&all, a, b).union(&twice(&all, b, a)).cloned().collect();
                let mut twice = |a, b| {
                    let once = contents.push(end, a, &mut words, effort).unwrap();
                    once.push(end, b, &mut words, effort).unwrap()
                };
                let (mut one, other) = (twice(a, b), twice(b, a));
                one.join(&other, &mut words, effort).unwrap();
                contents = one;
            } else if grows {
                all = push(&all, end, a);
                contents = contents.push(end, a, &mut words, effort).unwrap();
            } else {
                let ends = contents.ends(end, &words, effort).unwrap();
                let expected: BTreeSet<u32> =
                    (0..4).filter(|v| !pop(&all, end, *v).is_empty()).collect();
                assert_eq!(ends.iter().copied().collect::<BTreeSet<u32>>(), expected);
                let Some(&value) = ends.get(rng.usize(..ends.len().max(1))) else { continue };
                let others = contents.without(end, &[value], &mut words, effort).unwrap();
                let others = others.map_or(All::new(), |others| all_of(&words, &others));
                let with = push(&pop(&all, end, value), end, value);
                assert_eq!(others, all.difference(&with).cloned().collect());
                all = pop(&all, end, value);
                contents = contents.pop(end, value, &mut words, effort).unwrap().unwrap();
            }
            let before = contents.reach;
            recut(&mut [&mut contents], &mut words, effort).unwrap();
            moved += usize::from(contents.reach != before);
            ambiguous += usize::from(all.len() > 1);
            assert_eq!(contents.len(), all.first().unwrap().len());
            assert_eq!(all_of(&words, &contents), all, "seed {seed}, step {step}");
        }
    }
    assert!(
        moved > seeds as usize / 2 && ambiguous > 500,
        "{moved} cuts moved, {ambiguous} ambiguous"
    );
}

/// Contents whose ends are at different places keep a common cut.
#[test]
fn all_contents_are_cut_at_the_same_place() {
    let effort = &mut Effort::constant();
    let mut words = Words::new();
    let mut short = Contents::empty();
    for value in 0..33 {
        short = short.push(End::Back, value, &mut words, effort).unwrap();
    }
    let mut long = short.clone();
    for value in 0..9 {
        long = long.push(End::Front, value, &mut words, effort).unwrap();
    }
    let expected = [all_of(&words, &short), all_of(&words, &long)];
    let difference = [long.reach[0] - short.reach[0], long.reach[1] - short.reach[1]];
    recut(&mut [&mut short, &mut long], &mut words, effort).unwrap();
    assert!(short.reach.iter().all(|reach| *reach > 0));
    assert_eq!([all_of(&words, &short), all_of(&words, &long)], expected);
    assert_eq!([long.reach[0] - short.reach[0], long.reach[1] - short.reach[1]], difference);
}
