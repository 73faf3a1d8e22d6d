//! Finds the ways in which an operation could have found a value.

use smallvec::{SmallVec, smallvec};

use super::Zones;
use crate::incremental::monitor::Miss;
use crate::sorting::sort_by_key;

/// How a value was found: the compare-and-sets that were not known to have happened, last one
/// first, and the cluster from which they started.
#[derive(Clone, Debug)]
pub(in crate::incremental) struct Path {
    pub(in crate::incremental) trail: SmallVec<[u64; 2]>,
    /// `None` if the last one of the trail is a plain write.
    pub(in crate::incremental) start: Option<u64>,
    /// The last call of all.
    pub(super) call: u64,
    /// True if there are other paths, so that this one is not certain.
    pub(in crate::incremental) is_one_of_several: bool,
}

/// Give up after looking at this many clusters.
const STEPS: usize = 256;

impl<E> Zones<E> {
    /// Finds how an operation called at `call` could have found a value. `by`: it wrote this
    /// cluster over the value, and the cluster was not found. `without`: this cluster has not been
    /// written yet. `same` decides whether a cluster is the one that the writer of a cluster on the
    /// path expects or, if there is none, the operation itself.
    pub(in crate::incremental) fn find(
        &self,
        name: u64,
        call: u64,
        by: Option<u64>,
        without: Option<u64>,
        same: &dyn Fn(&E, Option<&E>) -> bool,
    ) -> Result<Path, Miss> {
        let trail: SmallVec<[u64; 2]> = by.into_iter().collect();
        // Rarely more than one.
        let mut todo: SmallVec<[_; 1]> = smallvec![(trail, name, call)];
        let mut found: Option<Path> = None;
        let mut steps = 0;
        while let Some((trail, name, call)) = todo.pop() {
            for &id in self.by_name.get(&name).into_iter().flatten() {
                steps += 1;
                if steps > STEPS {
                    return Err(Miss::Unclear);
                }
                let cluster = &self.clusters[&id];
                let asks = trail.last().filter(|asks| Some(**asks) != by);
                if !same(&cluster.what, asks.map(|asks| &self.clusters[asks].what)) {
                    // Two values share a name.
                    return Err(Miss::Unclear);
                }
                if without == Some(id) || trail.contains(&id) {
                    continue;
                }
                let call = call.max(cluster.call);
                let (mut trail, mut start) = (trail.clone(), None);
                match (cluster.zone, cluster.source) {
                    (Some(zone), _) => {
                        let is_there = match cluster.next {
                            Some((_, since)) => trail.is_empty() && call < since,
                            None => true,
                        };
                        if !is_there || !self.can_stretch(zone, call) {
                            continue;
                        }
                        start = Some(id);
                    }
                    (None, Some(source)) => {
                        trail.push(id);
                        todo.push((trail, source, call));
                        continue;
                    }
                    (None, None) => trail.push(id),
                }
                match &mut found {
                    Some(found) => found.is_one_of_several = true,
                    None => found = Some(Path { trail, start, call, is_one_of_several: false }),
                }
            }
        }
        found.ok_or(Miss::Impossible)
    }

    /// True if an operation called at `call` can be in the zone.
    fn can_stretch(&self, zone: u64, call: u64) -> bool {
        let first_return = self.zones[&zone].first_return;
        self.furthest.but_for(zone) <= first_return
            && self.recent.last_call_of_others(call, zone) <= first_return
    }

    /// True if, in every case, the register can hold a value other than this one at some moment
    /// since `call`.
    ///
    /// *Why it is true.* There is one cluster `A` of the value. If it was not known to be there before
    /// `call`, it can be looked for just before it was there: whatever comes before `A` and began since
    /// `call` can be passed over, and if something had to come after `A` before `call`, so could the search.
    /// If `A` was replaced, or some zone comes after it in any case, that was known before now: it can be
    /// looked for just after that. Else it is not clear, unless there is nothing but `A`.
    pub(in crate::incremental) fn can_differ(
        &self,
        name: u64,
        call: u64,
        own: Option<u64>,
        same: &dyn Fn(&E, Option<&E>) -> bool,
    ) -> Result<(), Miss> {
        let named = self.by_name.get(&name).into_iter().flatten();
        let mut others = named.filter(|id| Some(**id) != own);
        let Some(id) = others.next() else { return Ok(()) };
        let cluster = &self.clusters[id];
        if others.next().is_some() || !same(&cluster.what, None) {
            return Err(Miss::Unclear);
        }
        let Some(zone) = cluster.zone else { return Ok(()) };
        let first_return = self.zones[&zone].first_return;
        let is_over = || {
            self.furthest.but_for(zone) > first_return
                || self.recent.last_call_of_others(self.now + 1, zone) > first_return
        };
        if cluster.known_at > call || cluster.next.is_some() || is_over() {
            return Ok(());
        }
        let alone = self.clusters.len() == 1 + usize::from(own.is_some());
        Err(if alone { Miss::Impossible } else { Miss::Unclear })
    }

    /// The chains that can still be found, as lists of clusters in order.
    pub(in crate::incremental) fn chains(&self) -> impl Iterator<Item = Vec<(u64, &E)>> {
        let mut all: Vec<_> = self.zones.iter().collect();
        sort_by_key(&mut all, |(id, _)| **id);
        all.into_iter().map(|(_, zone)| {
            let mut chain = Vec::new();
            let mut next = Some(zone.head);
            while let Some((id, cluster)) = next.and_then(|id| Some((id, self.clusters.get(&id)?)))
            {
                next = cluster.next.map(|(next, _)| next);
                chain.push((id, &cluster.what));
            }
            chain
        })
    }

    /// Whether an operation called at `call` can find this cluster, and whether it can replace it.
    /// The cluster is known to have been written.
    pub(in crate::incremental) fn within_reach(&self, id: u64, call: u64) -> (bool, bool) {
        let Some(cluster) = self.clusters.get(&id) else { return (false, false) };
        let can = cluster.zone.is_some_and(|zone| self.can_stretch(zone, call));
        let is_there = cluster.next.is_none_or(|(_, since)| call < since);
        (can && is_there, can && cluster.next.is_none())
    }

    /// Clusters that are not known to have been written: their numbers, and the names of the values
    /// they replace.
    pub(in crate::incremental) fn unknown(&self) -> Vec<(u64, Option<u64>)> {
        let unknown = self.clusters.iter().filter(|(_, cluster)| cluster.zone.is_none());
        let mut unknown: Vec<_> = unknown.map(|(id, cluster)| (*id, cluster.source)).collect();
        sort_by_key(&mut unknown, |(id, _)| *id);
        unknown
    }
}
