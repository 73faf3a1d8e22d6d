//! Reduces a set of operations that contradict each other to a few: one loop for monitors,
//! explanations and `linpoint shrink`.

/// The answer to "do these still contradict each other, with everything else relaxed?".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reply {
    /// They do.
    Bad,
    /// They do not.
    Fine,
    /// A limit was hit for this query.
    Unknown,
    /// A limit was hit for all queries.
    Stop,
}

impl From<bool> for Reply {
    fn from(is_bad: bool) -> Reply {
        if is_bad { Reply::Bad } else { Reply::Fine }
    }
}

/// The result of minimising.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Minimised<T> {
    pub(crate) items: Vec<T>,
    /// True if every query about dropping a single item was answered: then no item can be dropped.
    pub(crate) is_minimal: bool,
}

/// Drops items, first in large chunks, then one by one, but keeps at least `least`. `ask` must
/// return [`Reply::Bad`] for all of `items`. The items that remain are still bad.
pub(crate) fn minimise<T: Copy>(
    mut items: Vec<T>,
    least: usize,
    mut ask: impl FnMut(&[T]) -> Reply,
) -> Minimised<T> {
    let mut chunk = items.len().div_ceil(2).max(1);
    let mut fewer = Vec::with_capacity(items.len());
    loop {
        let (mut from, mut is_minimal) = (0, true);
        while from < items.len() && items.len() > least {
            let to = (from + chunk).min(items.len());
            fewer.clear();
            fewer.extend_from_slice(&items[..from]);
            fewer.extend_from_slice(&items[to..]);
            let reply = if fewer.len() < least { Reply::Fine } else { ask(&fewer) };
            match reply {
                Reply::Bad => std::mem::swap(&mut items, &mut fewer),
                Reply::Fine => from = to,
                Reply::Unknown => (from, is_minimal) = (to, false),
                Reply::Stop => return Minimised { items, is_minimal: false },
            }
        }
        if chunk == 1 {
            return Minimised { items, is_minimal };
        }
        chunk = chunk.div_ceil(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_exactly_what_is_needed() {
        for needed in [&[3][..], &[0, 99], &[17, 18, 50]] {
            let ask = |items: &[u32]| needed.iter().all(|item| items.contains(item)).into();
            let found = minimise((0..100).collect(), 1, ask);
            assert_eq!((&found.items[..], found.is_minimal), (needed, true));
        }
    }

    #[test]
    fn a_limit_leaves_a_contradiction_not_marked_minimal() {
        let mut questions = 3;
        let found = minimise((0..100).collect(), 1, |items: &[u32]| {
            questions -= 1;
            if questions < 0 { Reply::Stop } else { items.contains(&99).into() }
        });
        assert!(found.items.contains(&99) && found.items.len() < 100 && !found.is_minimal);
    }

    #[test]
    fn an_unanswered_query_is_skipped() {
        let ask = |items: &[u32]| match items.len() {
            7 => Reply::Unknown,
            _ => items.contains(&5).into(),
        };
        let found = minimise((0..8).collect(), 1, ask);
        assert_eq!(found, Minimised { items: vec![5], is_minimal: true });
    }
}
