//! Statements that count: flags and numbers.

use linpoint::verdict::FlagFact;

use super::{Confirm, Row};

impl Confirm<'_> {
    pub(super) fn flag(&self, fact: &FlagFact) -> Option<bool> {
        let reader = self.row(fact.reader)?;
        let anchor = match fact.anchor {
            Some(id) => Some(self.row(id)?),
            None => None,
        };
        // How the anchor left the flag.
        let left = match anchor {
            None => false,
            Some(row) => row.deed.turns.or(row.deed.flag)?,
        };
        let sure = |row: &Row| row.deed.sure;
        let is_before = anchor.is_none_or(|row| row.precedes(reader) && sure(row));
        let other = |row: &&Row| anchor.is_none_or(|anchor| anchor.id != row.id);
        let towards = self
            .possible(reader)
            .filter(other)
            .filter(|row| row.deed.turns == Some(fact.found_up))
            .filter(|row| anchor.is_none_or(|anchor| !row.precedes(anchor)))
            .count();
        let back = self
            .possible(reader)
            .filter(other)
            .filter(|row| row.deed.turns == Some(!fact.found_up) && sure(row))
            .filter(|row| row.precedes(reader) && anchor.is_none_or(|a| a.precedes(row)))
            .count();
        Some(
            sure(reader)
                && reader.deed.flag? == fact.found_up
                && reader.deed.turns.is_some() == fact.changes
                && (left != fact.found_up || anchor.is_none())
                && is_before
                && self.holds_lock(fact, reader)?
                && [towards, back] == [fact.towards, fact.back]
                && towards < back + usize::from(left != fact.found_up),
        )
    }

    /// The numbers that are possible at `reader`.
    pub(super) fn range(&self, anchor: Option<&Row>, reader: &Row) -> Option<[i128; 2]> {
        let base = match anchor {
            None => self.facts.number,
            Some(row) if row.precedes(reader) => row.deed.number? + row.deed.shifts,
            Some(_) => return None,
        };
        let mut range = [base; 2];
        for row in self.possible(reader) {
            if anchor.is_some_and(|anchor| anchor.id == row.id || row.precedes(anchor)) {
                continue;
            }
            let by = row.deed.shifts;
            let surely = row.precedes(reader) && anchor.is_none_or(|a| a.precedes(row));
            range[0] += if surely { by } else { by.min(0) };
            range[1] += if surely { by } else { by.max(0) };
        }
        Some(range)
    }

    /// True if the holder, if one is named, acquired the lock and its process did not release it.
    fn holds_lock(&self, fact: &FlagFact, reader: &Row) -> Option<bool> {
        let Some(holder) = fact.holder else { return Some(true) };
        let holder = self.row(holder)?;
        let releases = |row: &Row| {
            row.deed.turns == Some(false)
                && row.process == holder.process
                && row.span.call > holder.span.call
                && row.span.call <= reader.span.ret
        };
        Some(
            holder.deed.turns == Some(true)
                && holder.deed.sure
                && holder.process.is_some()
                && holder.precedes(reader)
                && !self.rows.iter().any(releases),
        )
    }
}
