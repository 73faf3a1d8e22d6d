//! A partial order of operations, as one bit set for each element.
//!
//! Elements are numbered so that a smaller one never comes after a larger one: the numbers
//! themselves are a schedule. For the operations of a history, this is the order of their calls.

use rustc_hash::FxHashMap;

use crate::history::Span;

/// A set of elements.
pub(crate) type Set = u128;

/// The largest number of elements.
pub const MOST_ELEMENTS: usize = 128;

/// A partial order on at most [`MOST_ELEMENTS`] elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Poset {
    /// For each element, those that come after it, and itself.
    up: Vec<Set>,
    /// For each element, those that come before it, and itself.
    down: Vec<Set>,
}

/// The elements of a set, smallest first.
pub(crate) fn elements(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let element = set.trailing_zeros() as usize;
            set &= set - 1;
            element
        })
    })
}

impl Poset {
    /// The order of `count` elements in which `a` comes before `b` if `before(a, b)`, which must be
    /// transitive, and false unless `a < b`. `None` if there are too many elements.
    pub fn new(count: usize, before: impl Fn(usize, usize) -> bool) -> Option<Poset> {
        if count > MOST_ELEMENTS {
            return None;
        }
        let single = |element: usize| 1 << element;
        let mut up: Vec<Set> = (0..count).map(single).collect();
        let mut down = up.clone();
        for (b, down) in down.iter_mut().enumerate() {
            for a in (0..b).filter(|a| before(*a, b)) {
                up[a] |= 1 << b;
                *down |= 1 << a;
            }
        }
        Some(Poset { up, down })
    }

    /// The operations with these spans, which must be sorted by their calls.
    pub fn of_spans(spans: &[Span]) -> Option<Poset> {
        Poset::new(spans.len(), |a, b| spans[a].precedes(spans[b]))
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.up.len()
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.up.is_empty()
    }

    /// All elements.
    pub(crate) fn all(&self) -> Set {
        match self.len() {
            MOST_ELEMENTS => Set::MAX,
            count => (1 << count) - 1,
        }
    }

    /// The element and everything after it.
    pub(crate) fn up(&self, element: usize) -> Set {
        self.up[element]
    }

    /// The element and everything before it.
    pub(crate) fn down(&self, element: usize) -> Set {
        self.down[element]
    }

    /// True if `a` comes before `b`, or is `b`.
    pub fn at_most(&self, a: usize, b: usize) -> bool {
        self.up[a] >> b & 1 == 1
    }

    /// The elements of a set that have no predecessor in the set.
    pub(crate) fn minimal(&self, set: Set) -> Set {
        elements(set).filter(|x| self.down[*x] & set == 1 << x).fold(0, |all, x| all | 1 << x)
    }

    /// Everything that is at or after an element of the set.
    pub(crate) fn closure(&self, set: Set) -> Set {
        elements(set).fold(0, |all, x| all | self.up[x])
    }

    /// Number of unordered pairs.
    pub fn concurrent_pairs(&self) -> usize {
        let ordered: usize = self.up.iter().map(|up| up.count_ones() as usize - 1).sum();
        self.len() * self.len().saturating_sub(1) / 2 - ordered
    }

    /// A partition into as few chains as possible, each in order (Dilworth). Their number is the
    /// largest number of pairwise unordered elements.
    pub fn fewest_chains(&self) -> Vec<Vec<usize>> {
        // Chains are the paths of a maximum matching between elements and later elements.
        let mut previous: Vec<Option<usize>> = vec![None; self.len()];
        for a in 0..self.len() {
            let mut tried = 0;
            self.link(a, &mut tried, &mut previous);
        }
        let mut next: Vec<Option<usize>> = vec![None; self.len()];
        for (b, a) in previous.iter().enumerate() {
            if let Some(a) = a {
                next[*a] = Some(b);
            }
        }
        let first = (0..self.len()).filter(|b| previous[*b].is_none());
        first.map(|first| std::iter::successors(Some(first), |a| next[*a]).collect()).collect()
    }

    /// Links `a` to a later element, and re-links others if that helps.
    fn link(&self, a: usize, tried: &mut Set, previous: &mut [Option<usize>]) -> bool {
        let mut later = self.up[a] & !(1 << a) & !*tried;
        while later != 0 {
            let b = later.trailing_zeros() as usize;
            *tried |= 1 << b;
            if previous[b].is_none_or(|other| self.link(other, tried, previous)) {
                previous[b] = Some(a);
                return true;
            }
            later &= !*tried;
        }
        false
    }

    /// The number of schedules, if counting them takes at most `most` sets of elements.
    pub fn schedules(&self, most: usize) -> Option<u128> {
        // The number of ways to schedule each set of elements, level by level.
        let mut ways: FxHashMap<Set, u128> = FxHashMap::default();
        ways.insert(0, 1);
        let mut looked = 0;
        for _ in 0..self.len() {
            let mut next: FxHashMap<Set, u128> = FxHashMap::default();
            for (done, count) in ways {
                for x in elements(self.minimal(self.all() & !done)) {
                    let sum = next.entry(done | 1 << x).or_default();
                    *sum = sum.checked_add(count)?;
                }
                looked += 1;
                if looked > most {
                    return None;
                }
            }
            ways = next;
        }
        ways.get(&self.all()).copied()
    }
}
