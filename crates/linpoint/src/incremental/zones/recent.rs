//! The most recent zones of a register by first return, with the last call of each. Answers which
//! of those that began before some moment has the latest call.

/// Zones in the order of their first returns, identified by their position, which never changes.
#[derive(Clone, Default, Debug)]
pub(super) struct Recent {
    /// The position of `first_returns[0]`.
    base: u64,
    /// Zones before this one, counted from `base`, have been dropped.
    start: usize,
    /// Ascending.
    first_returns: Vec<u64>,
    /// A tree of maxima over the last calls; leaves from `size` on.
    tree: Vec<u64>,
    size: usize,
}

impl Recent {
    /// The position of the next zone.
    pub(super) fn next(&self) -> u64 {
        self.base + self.first_returns.len() as u64
    }

    /// Adds a zone whose first return is later than all others.
    pub(super) fn push(&mut self, first_return: u64, last_call: u64) {
        if self.first_returns.len() == self.size {
            self.make_room();
        }
        self.first_returns.push(first_return);
        self.raise(self.next() - 1, last_call);
    }

    /// Extends the zone at `position` to this call.
    pub(super) fn raise(&mut self, position: u64, call: u64) {
        let Some(leaf) = position.checked_sub(self.base) else { return };
        let mut node = self.size + leaf as usize;
        while node > 0 && self.tree[node] < call {
            self.tree[node] = call;
            node /= 2;
        }
    }

    /// Drops the earliest zone if its first return was before `moment`. Returns its position and
    /// last call.
    pub(super) fn pop_before(&mut self, moment: u64) -> Option<(u64, u64)> {
        let first_return = self.first_returns.get(self.start)?;
        if *first_return >= moment {
            return None;
        }
        self.start += 1;
        let leaf = self.start - 1;
        Some((self.base + leaf as u64, self.tree[self.size + leaf]))
    }

    /// The last call of all zones whose first return was before `moment`, except the one at
    /// `except`; 0 if there are none.
    pub(super) fn last_call_of_others(&self, moment: u64, except: u64) -> u64 {
        let end = self.first_returns.partition_point(|r| *r < moment).max(self.start);
        match except.checked_sub(self.base) {
            Some(at) if (self.start as u64..end as u64).contains(&at) => {
                let at = at as usize;
                self.max(self.start, at).max(self.max(at + 1, end))
            }
            _ => self.max(self.start, end),
        }
    }

    fn max(&self, from: usize, to: usize) -> u64 {
        let (mut left, mut right, mut max) = (from + self.size, to + self.size, 0);
        while left < right {
            if left % 2 == 1 {
                max = max.max(self.tree[left]);
                left += 1;
            }
            if right % 2 == 1 {
                right -= 1;
                max = max.max(self.tree[right]);
            }
            left /= 2;
            right /= 2;
        }
        max
    }

    /// Removes dropped zones, and makes the tree large enough for twice as many as are left.
    fn make_room(&mut self) {
        let calls: Vec<u64> = self.tree[(self.size + self.start).min(self.tree.len())..].to_vec();
        self.base += self.start as u64;
        self.first_returns.drain(..self.start);
        self.start = 0;
        self.size = (2 * self.first_returns.len()).next_power_of_two().max(8);
        self.tree = vec![0; 2 * self.size];
        self.tree[self.size..][..calls.len()].copy_from_slice(&calls);
        for node in (1..self.size).rev() {
            self.tree[node] = self.tree[2 * node].max(self.tree[2 * node + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maxima_agree_with_a_list() {
        let mut recent = Recent::default();
        let mut list: Vec<(u64, u64, u64)> = Vec::new(); // position, first return, last call
        let mut random = fastrand::Rng::with_seed(1);
        let mut below = |n: u64| random.u64(..n);
        for now in 1..20_000u64 {
            match below(4) {
                0 => {
                    let call = now - below(now.min(50));
                    list.push((recent.next(), now, call));
                    recent.push(now, call);
                }
                1 if !list.is_empty() => {
                    let at = below(list.len() as u64) as usize;
                    let (position, _, call) = &mut list[at];
                    *call = (*call).max(now - below(now.min(20)));
                    recent.raise(*position, *call);
                }
                2 => {
                    let moment = now - below(now.min(90));
                    let popped = std::iter::from_fn(|| recent.pop_before(moment)).count();
                    let dropped = list.iter().filter(|(_, first, _)| *first < moment).count();
                    assert_eq!(popped, dropped);
                    list.drain(..dropped);
                }
                _ => {
                    let (moment, except) =
                        (now - below(now.min(100)), recent.next().saturating_sub(below(20)));
                    let others =
                        list.iter().filter(|(p, first, _)| *p != except && *first < moment);
                    let expected = others.map(|(_, _, call)| *call).max().unwrap_or(0);
                    assert_eq!(recent.last_call_of_others(moment, except), expected);
                }
            }
            assert_eq!(recent.first_returns.len() - recent.start, list.len());
        }
        assert!(recent.size < 2_000);
    }
}
