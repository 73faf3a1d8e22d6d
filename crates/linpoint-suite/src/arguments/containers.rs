//! Statements about elements: what was added and removed.

use linpoint::OpId;
use linpoint::verdict::Rule;

use super::{Confirm, Row};

impl Confirm<'_> {
    pub(super) fn twice(&self, takers: &[OpId], adders: &[OpId]) -> Option<bool> {
        let takers: Option<Vec<&Row>> = takers.iter().map(|id| self.row(*id)).collect();
        let takers = takers?;
        let [a, b, ..] = takers[..] else { return Some(false) };
        if !takers.iter().all(|row| row.deed.sure) {
            return Some(false);
        }
        let distinct =
            takers.iter().enumerate().all(|(i, x)| takers[..i].iter().all(|y| x.id != y.id));
        let early = |rows: Vec<&Row>| {
            rows.into_iter()
                .filter(|row| row.span.call <= self.failed)
                .map(|r| r.id)
                .collect::<Vec<_>>()
        };
        let same_set = |mut found: Vec<OpId>| {
            let mut said = adders.to_vec();
            found.sort();
            said.sort();
            found == said
        };
        if let Some(value) = a.deed.removes.as_deref() {
            return Some(
                distinct
                    && takers.iter().all(|row| row.deed.removes.as_deref() == Some(value))
                    && same_set(early(self.adders(value)))
                    && takers.len() > adders.len(),
            );
        }
        if a.deed.number.is_some() {
            let none_back = self.rows.iter().all(|row| row.deed.shifts >= 0);
            let same = a.deed.number == b.deed.number && a.deed.shifts > 0 && b.deed.shifts > 0;
            return Some(distinct && takers.len() == 2 && none_back && same);
        }
        let value = a.deed.finds.as_deref()?;
        let replaces = |row: &Row| {
            let found = row.deed.finds.as_deref().is_some_and(|found| self.same(found, value));
            found && row.deed.leaves.as_deref().is_some_and(|left| !self.same(left, value))
        };
        let initial = usize::from(self.is_initial(value));
        Some(
            distinct
                && takers.len() == 2
                && replaces(a)
                && replaces(b)
                && same_set(early(self.writers(value)))
                && adders.len() + initial == 1,
        )
    }

    /// The operations that may have removed `value` before `until` returned.
    pub(super) fn removals<'s>(&'s self, value: &str, until: &'s Row) -> Vec<&'s Row> {
        let removes =
            |row: &&Row| row.deed.takes_some || row.deed.removes.as_deref() == Some(value);
        self.possible(until).filter(removes).collect()
    }

    pub(super) fn out_of_order(
        &self,
        rule: Rule,
        waiting: &Row,
        added: &Row,
        taker: &Row,
    ) -> Option<bool> {
        let other = waiting.deed.adds.as_deref()?;
        let value = taker.deed.removes.as_deref().or(taker.deed.sees.as_deref())?;
        if added.deed.adds.as_deref() != Some(value) || other == value || !taker.deed.sure {
            return Some(false);
        }
        let own: Vec<&Row> =
            self.adders(value).into_iter().filter(|row| !taker.precedes(row)).collect();
        let sure = |row: &&&Row| row.deed.sure;
        let all = self.adders(other);
        let gone = self.removals(other, taker);
        let stays = |ahead: usize, gone: usize| ahead > gone;
        Some(match rule {
            Rule::FirstIn => {
                let ahead = |row: &&&Row| own.iter().all(|own| row.precedes(own));
                ahead(&&waiting) && stays(all.iter().filter(sure).filter(ahead).count(), gone.len())
            }
            Rule::LastIn => {
                let ahead = |row: &&&Row| added.precedes(row) && row.precedes(taker);
                let gone = gone.iter().filter(|row| !row.precedes(added)).count();
                own.len() == 1
                    && ahead(&&waiting)
                    && stays(all.iter().filter(sure).filter(ahead).count(), gone)
            }
            Rule::Front | Rule::Back => {
                let end = if rule == Rule::Front { "front" } else { "back" };
                let is_here = |row: &Row| row.deed.end.as_deref() == Some(end);
                let ahead = |row: &&&Row| {
                    let on_top = is_here(row) && added.precedes(row) && row.precedes(taker);
                    on_top || !is_here(added) && row.precedes(added)
                };
                own.len() == 1
                    && is_here(taker)
                    && ahead(&&waiting)
                    && stays(all.iter().filter(sure).filter(ahead).count(), gone.len())
            }
            Rule::Priority => {
                let number = |v: &str| v.parse::<i64>().ok();
                let (a, b) = (number(other)?, number(value)?);
                let first = if self.facts.largest_first { a > b } else { a < b };
                let ahead = |row: &&&Row| row.precedes(taker);
                first
                    && ahead(&&waiting)
                    && stays(all.iter().filter(sure).filter(ahead).count(), gone.len())
            }
        })
    }

    pub(super) fn not_empty(&self, reader: &Row, adders: &[&Row], relay: bool) -> Option<bool> {
        if !reader.deed.empty || adders.is_empty() || adders.iter().any(|row| !row.deed.sure) {
            return Some(false);
        }
        if relay {
            // Before any removal of one, the next had been added.
            let mut next = adders.iter().skip(1);
            let relieved = adders.iter().all(|row| {
                let value = row.deed.adds.as_deref().unwrap_or_default();
                let gone = self.removals(value, reader);
                let once = self.adders(value).iter().filter(|r| !reader.precedes(r)).count() == 1;
                once && match next.next() {
                    Some(next) => gone.iter().all(|gone| next.precedes(gone)),
                    None => gone.is_empty(),
                }
            });
            return Some(adders[0].precedes(reader) && relieved);
        }
        Some(adders.iter().all(|row| {
            let value = row.deed.adds.as_deref().unwrap_or_default();
            let sure = |row: &&&Row| row.deed.sure && row.precedes(reader);
            let added = self.adders(value).iter().filter(sure).count();
            let named = adders.iter().filter(|r| r.deed.adds.as_deref() == Some(value)).count();
            row.precedes(reader) && added >= named + self.removals(value, reader).len()
        }))
    }

    pub(super) fn room(&self, reader: &Row, capacity: i128, elements: i128) -> Option<bool> {
        if self.facts.capacity != Some(capacity) || !reader.deed.sure {
            return Some(false);
        }
        let mut counts = [0; 2];
        for row in self.possible(reader) {
            let surely = row.precedes(reader) && row.deed.sure;
            let by = match &row.deed {
                deed if deed.adds.is_some() => 1,
                deed if deed.takes_some => {
                    counts[0] -= 1;
                    continue;
                }
                deed if deed.removes.is_some() => -1,
                _ => 0,
            };
            counts[0] += if surely { by } else { by.min(0) };
            counts[1] += if surely { by } else { by.max(0) };
        }
        Some(match reader.deed.full {
            true => counts[1] == elements && elements < capacity,
            false => reader.deed.adds.is_some() && counts[0] == elements && elements >= capacity,
        })
    }
}
