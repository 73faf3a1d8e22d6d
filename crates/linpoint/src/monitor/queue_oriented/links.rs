//! Doubly linked lists of numbers that support undo.

/// Disjoint lists. Removed numbers must be restored in reverse order.
pub(super) struct Links {
    next: Vec<u32>,
    previous: Vec<u32>,
    /// Numbers are below this. The ends of the lists are above it.
    numbers: u32,
}

impl Links {
    /// Builds lists of numbers in the given order. Each number belongs to at most one list.
    pub(super) fn new(
        numbers: usize,
        lists: usize,
        in_order: impl Iterator<Item = (u32, usize)>,
    ) -> Links {
        let ends: Vec<u32> = (0..(numbers + lists) as u32).collect();
        let mut links = Links { next: ends.clone(), previous: ends, numbers: numbers as u32 };
        for (number, list) in in_order {
            let end = numbers + list;
            let last = links.previous[end];
            links.next[last as usize] = number;
            links.previous[number as usize] = last;
            links.next[number as usize] = end as u32;
            links.previous[end] = number;
        }
        links
    }

    /// The first number of a list.
    pub(super) fn first(&self, list: usize) -> Option<u32> {
        self.after(self.numbers + list as u32)
    }

    /// The number after this one in its list.
    fn after(&self, number: u32) -> Option<u32> {
        let next = self.next[number as usize];
        (next < self.numbers).then_some(next)
    }

    /// The numbers of a list.
    pub(super) fn iter(&self, list: usize) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(self.first(list), |number| self.after(*number))
    }

    /// Takes a number out of its list.
    pub(super) fn remove(&mut self, number: u32) {
        let (next, previous) = (self.next[number as usize], self.previous[number as usize]);
        self.next[previous as usize] = next;
        self.previous[next as usize] = previous;
    }

    /// Restores a number. Everything that was removed after it must already be restored.
    pub(super) fn restore(&mut self, number: u32) {
        let (next, previous) = (self.next[number as usize], self.previous[number as usize]);
        self.next[previous as usize] = number;
        self.previous[next as usize] = number;
    }
}
