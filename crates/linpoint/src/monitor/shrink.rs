//! Few of many things that are bad together (Junker, "QuickXplain", AAAI 2004).

/// A part of `all` that is bad and of which nothing can be left out; about k log(n/k) questions for
/// a part of k. `all` must be bad, and whatever contains something bad must be bad.
///
/// If `is_bad` sometimes says no because it gave up, the part is larger than need be, but bad.
pub(super) fn shrink(all: &[u32], is_bad: &mut dyn FnMut(&[u32]) -> bool) -> Vec<u32> {
    with_base(&[], false, all, is_bad)
}

/// The part of the candidates that is needed in addition to the base, with which all of them are bad.
/// `grown`: it is not known that the base is not bad by itself.
fn with_base(
    base: &[u32],
    grown: bool,
    candidates: &[u32],
    is_bad: &mut dyn FnMut(&[u32]) -> bool,
) -> Vec<u32> {
    if grown && is_bad(base) {
        return Vec::new();
    }
    if candidates.len() <= 1 {
        return candidates.to_vec();
    }
    let (first, second) = candidates.split_at(candidates.len() / 2);
    let needed = with_base(&[base, first].concat(), true, second, is_bad);
    let mut rest = with_base(&[base, &needed].concat(), !needed.is_empty(), first, is_bad);
    rest.extend(needed);
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_exactly_what_is_needed() {
        let all: Vec<u32> = (0..1000).collect();
        for needed in [vec![], vec![0], vec![999], vec![3, 4, 5], vec![0, 500, 777, 999]] {
            let mut questions = 0;
            let found = shrink(&all, &mut |some: &[u32]| {
                questions += 1;
                needed.iter().all(|n| some.contains(n))
            });
            // Nothing is needed: then anything is enough.
            assert!(found == needed || needed.is_empty() && found.len() <= 1, "{found:?}");
            assert!(questions <= 100, "{questions}");
        }
    }

    #[test]
    fn giving_up_keeps_more() {
        let all: Vec<u32> = (0..64).collect();
        let mut budget = 3;
        let found = shrink(&all, &mut |some: &[u32]| {
            budget -= 1;
            budget >= 0 && some.contains(&60)
        });
        assert!(found.contains(&60) && found.len() > 1);
    }
}
