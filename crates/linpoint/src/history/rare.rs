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
}
