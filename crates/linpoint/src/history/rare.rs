//! A column that most histories do not have.

/// Values by position, in most histories all of them the default. Takes no memory until one is not.
#[derive(Clone, Debug)]
pub(super) struct Rare<T>(Vec<T>);

impl<T> Default for Rare<T> {
    fn default() -> Self {
        Rare(Vec::new())
    }
}

impl<T: Copy + Default + PartialEq> Rare<T> {
    /// Sets the value at a position. Unset values before it are the default.
    #[inline]
    pub(super) fn set(&mut self, at: usize, value: T) {
        if let Some(known) = self.0.get_mut(at) {
            *known = value;
        } else if value != T::default() {
            self.0.resize(at, T::default());
            self.0.push(value);
        }
    }

    /// Moves all values of another column, whose positions begin at `at` here.
    pub(super) fn append(&mut self, at: usize, other: &mut Rare<T>) {
        if !other.is_empty() {
            self.0.resize(at, T::default());
            self.0.append(&mut other.0);
        }
    }

    pub(super) fn get(&self, at: usize) -> T {
        self.0.get(at).copied().unwrap_or_default()
    }

    /// True if every value is the default.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The values that were set, and possibly defaults.
    pub(super) fn values(&self) -> &[T] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unset_values_are_the_default() {
        let mut column = Rare::default();
        column.set(0, None);
        assert!(column.values().is_empty());
        column.set(3, Some(7));
        column.set(1, Some(5));
        column.set(9, None);
        assert_eq!(
            [0, 1, 2, 3, 4, 9].map(|i| column.get(i)),
            [None, Some(5), None, Some(7), None, None]
        );
    }

    #[test]
    fn columns_are_joined() {
        let mut column = Rare::default();
        column.append(2, &mut Rare::default());
        assert!(column.is_empty());
        column.set(0, 5);
        for at in [3, 6] {
            let mut more = Rare::default();
            more.set(1, 7);
            column.append(at, &mut more);
            assert!(more.is_empty());
        }
        assert_eq!(column.values(), [5, 0, 0, 0, 7, 0, 0, 7]);
    }
}
