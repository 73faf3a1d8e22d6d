//! What pending operations did, as numbered lists: equal lists have equal numbers.

use rustc_hash::FxHashMap;

/// Numbered lists.
#[derive(Debug)]
pub(super) struct Extras {
    lists: Vec<Vec<Extra>>,
    numbers: FxHashMap<Vec<Extra>, u32>,
}

/// What one pending operation did.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Extra {
    Removed(u32),
    Added(u32),
}

impl Extras {
    /// The number of the list that is empty.
    pub(super) const NONE: u32 = 0;

    pub(super) fn new() -> Extras {
        let numbers = FxHashMap::from_iter([(Vec::new(), Extras::NONE)]);
        Extras { lists: vec![Vec::new()], numbers }
    }

    /// How many lists there have been.
    pub(super) fn len(&self) -> usize {
        self.lists.len()
    }

    pub(super) fn list(&self, number: u32) -> &[Extra] {
        &self.lists[number as usize]
    }

    /// The number of this list, with one more.
    pub(super) fn with(&mut self, number: u32, extra: Extra) -> u32 {
        let old = self.list(number);
        let at = old.partition_point(|e| *e < extra);
        let mut list = Vec::with_capacity(old.len() + 1);
        list.extend(&old[..at]);
        list.push(extra);
        list.extend(&old[at..]);
        self.number(list)
    }

    fn number(&mut self, list: Vec<Extra>) -> u32 {
        if let Some(number) = self.numbers.get(&list) {
            return *number;
        }
        let number = self.lists.len() as u32;
        self.numbers.insert(list.clone(), number);
        self.lists.push(list);
        number
    }

    /// Removes what the lists with these numbers have in common, and returns it. They get new
    /// numbers; all others are forgotten.
    pub(super) fn split_off_common(&mut self, mut numbers: Vec<&mut u32>) -> Vec<Extra> {
        let mut common = match numbers.first() {
            Some(first) => self.list(**first).to_vec(),
            None => Vec::new(),
        };
        for number in numbers.iter().skip(1) {
            common = without(&common, &without(&common, self.list(**number)));
        }
        let old = std::mem::replace(self, Extras::new());
        for number in &mut numbers {
            **number = self.number(without(old.list(**number), &common));
        }
        common
    }
}

/// The list without the members of another, both sorted.
fn without(list: &[Extra], other: &[Extra]) -> Vec<Extra> {
    let mut other = other.iter().peekable();
    let stays = |extra: &&Extra| {
        while other.next_if(|o| o < extra).is_some() {}
        other.next_if_eq(extra).is_none()
    };
    list.iter().filter(stays).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::Extra::{Added, Removed};
    use super::*;

    #[test]
    fn common_members_are_split_off() {
        let mut extras = Extras::new();
        let list = |extras: &mut Extras, all: &[Extra]| {
            all.iter().fold(Extras::NONE, |number, extra| extras.with(number, *extra))
        };
        let mut a = list(&mut extras, &[Added(1), Removed(2), Removed(2)]);
        assert_eq!(a, list(&mut extras, &[Removed(2), Added(1), Removed(2)]));
        let mut b = list(&mut extras, &[Removed(2), Removed(3)]);
        assert_eq!(extras.split_off_common(vec![&mut a, &mut b]), [Removed(2)]);
        assert_eq!(extras.list(a), [Removed(2), Added(1)]);
        assert_eq!(extras.list(b), [Removed(3)]);
        assert_eq!(extras.split_off_common(vec![&mut a]).len(), 2);
        assert_eq!(a, Extras::NONE);
    }
}
