//! A register in a stream: the zones of [`crate::monitor`]'s registers, without those that no longer matter.
//!
//! A *cluster* is a value: its write, and those who found it. Clusters that a compare-and-set ties together are
//! a *chain*, and a chain occupies the register for a *zone*, from the first return of its operations to
//! the last call of them. Two zones `X` and `Z` exclude each other exactly if
//!
//! > `X.first_return < Z.last_call` and `Z.first_return < X.last_call`
//!
//! (two forward zones that overlap, or one that is not forward inside one that is). In a stream:
//!
//! * Only completed operations count, and writes that somebody found; a write that is open, or crashed, and
//!   that nobody found might as well not have happened.
//! * A write that returns and was not found is a new zone whose first return is now, after every call so far. It
//!   excludes nothing. So only *finding* a value (reads, compare-and-sets) can go wrong.
//! * Who finds a value stretches its zone to his own call; and if the value comes from compare-and-sets that
//!   are open, to theirs, and chains them to what they replaced. Inside a chain, a cluster that was replaced
//!   can be found only by who was called before anybody was known to have found the next one.
//! * First returns never change, last calls only grow. What excludes each other does so for ever.
//!
//! **What is forgotten.** Let `since` be the earliest call of an open operation, or now. Whoever finds
//! something from now on was called at `since` or later. Call a zone `Z` *settled* if `Z.first_return <
//! since`. A zone `X` can be stretched to some `c >= since` beside a settled `Z` exactly if `Z.last_call <=
//! X.first_return`. So all settled zones are summed up in one number (two, to leave out `X` itself: see
//! [`Furthest`]), the zones that it excludes are *dead*, nobody can find their values any more, and
//! whoever claims to is wrong, just as if the value had never been written. A cluster that was replaced before
//! `since` is dead as well. Dead clusters and zones are dropped. A dead zone excludes nothing that the number does
//! not, so it is not needed for anything else. A value that is written again when its first cluster is dead is a new value.
//!
//! **Memory.** Zones that are settled and alive were all open at one moment, but for one: `X.last_call <=
//! F.last_call <= X.first_return`, where `F` reaches furthest. Zones that are not settled began to return after `since`: each of
//! their values can still be found by the operation that was called then, so whoever wants to be exact has to
//! remember them. In all O(operations that overlapped the oldest open one), and crashed writes that
//! nobody found, which may be found at any time.
//!
//! **Repeated values.** If a value has several clusters that who finds it could have found, it is not clear which:
//! [`Miss::Unclear`], and somebody else has to go on. If there is one, it is that one.
//!
//! Time O(log window) an event, and the compare-and-sets on the way to a value.

mod recent;

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::calls::Calls;
use super::monitor::Miss;
use recent::Recent;

/// A value. `E` is what the caller wants to know about it.
#[derive(Clone, Debug)]
pub(super) struct Cluster<E> {
    name: u64,
    /// When its write began.
    call: u64,
    /// The name of what its write replaces, if it does.
    source: Option<u64>,
    /// `None` as long as its write has not returned and nobody has found it.
    zone: Option<u64>,
    /// When it was known to be there.
    known_at: u64,
    /// What replaced it, and since when that is known.
    next: Option<(u64, u64)>,
    pub(super) what: E,
}

impl<E> Cluster<E> {
    pub(super) fn is_named(&self, name: u64) -> bool {
        self.name == name
    }

    /// True if it is written over anything.
    pub(super) fn is_plain(&self) -> bool {
        self.source.is_none()
    }

    /// True if it is written over this.
    pub(super) fn replaces(&self, name: u64) -> bool {
        self.source == Some(name)
    }
}

#[derive(Clone, Copy, Debug)]
struct Zone {
    first_return: u64,
    last_call: u64,
    /// The first cluster of the chain that is not dead.
    head: u64,
}

/// The last call of all settled zones, and of all but the one that it is of.
#[derive(Clone, Copy, Default, Debug)]
struct Furthest {
    call: u64,
    zone: u64,
    others: u64,
}

impl Furthest {
    fn add(&mut self, zone: u64, call: u64) {
        if zone == self.zone {
            self.call = self.call.max(call);
        } else if call > self.call {
            *self = Furthest { call, zone, others: self.call };
        } else {
            self.others = self.others.max(call);
        }
    }

    fn but_for(&self, zone: u64) -> u64 {
        if zone == self.zone { self.others } else { self.call }
    }
}

/// How a value was found: the compare-and-sets that nobody had found before, last one first, and the
/// cluster from which they started.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) trail: SmallVec<[u64; 2]>,
    /// `None` if the last of the trail is a plain write.
    pub(super) start: Option<u64>,
    /// The last call of all.
    call: u64,
    /// There are others, so that it is not clear which one it was.
    pub(super) is_one_of_several: bool,
}

/// A register. See the [module documentation](self).
#[derive(Clone, Debug)]
pub(super) struct Zones<E> {
    /// Events so far.
    now: u64,
    calls: Calls,
    clusters: FxHashMap<u64, Cluster<E>>,
    made: u64,
    by_name: FxHashMap<u64, SmallVec<[u64; 1]>>,
    zones: FxHashMap<u64, Zone>,
    /// Zones that are not settled.
    recent: Recent,
    /// Settled zones that are not dead, by first return.
    settled: VecDeque<u64>,
    furthest: Furthest,
    /// Clusters that were replaced, by when.
    replaced: VecDeque<(u64, u64)>,
}

/// Longer ways to a value are not followed.
const STEPS: usize = 256;

impl<E> Zones<E> {
    /// A register with a value.
    pub(super) fn new(name: u64, what: E) -> Self {
        let mut zones = Zones {
            now: 0,
            calls: Calls::default(),
            clusters: FxHashMap::default(),
            made: 0,
            by_name: FxHashMap::default(),
            zones: FxHashMap::default(),
            recent: Recent::default(),
            settled: VecDeque::new(),
            furthest: Furthest::default(),
            replaced: VecDeque::new(),
        };
        // Written before everything.
        let first = zones.write(name, None, what);
        zones.occupy(first, 0);
        zones
    }

    /// An operation begins.
    pub(super) fn call(&mut self) -> u64 {
        self.now += 1;
        self.calls.open(self.now);
        self.now
    }

    /// The operation that was called last may write a value, over anything or over `source`.
    pub(super) fn write(&mut self, name: u64, source: Option<u64>, what: E) -> u64 {
        let id = self.made;
        self.made += 1;
        let (call, now) = (self.now, self.now);
        let cluster = Cluster { name, call, source, zone: None, known_at: now, next: None, what };
        self.clusters.insert(id, cluster);
        self.by_name.entry(name).or_default().push(id);
        id
    }

    pub(super) fn cluster(&self, id: u64) -> Option<&Cluster<E>> {
        self.clusters.get(&id)
    }

    /// Some cluster of this name.
    pub(super) fn any_named(&self, name: u64) -> Option<&E> {
        let id = self.by_name.get(&name)?.first()?;
        Some(&self.clusters[id].what)
    }

    /// True if the cluster is known to be there.
    pub(super) fn is_known(&self, id: u64) -> bool {
        self.clusters.get(&id).is_none_or(|cluster| cluster.zone.is_some())
    }

    /// How could somebody who was called at `call` have found a value? `by`: he wrote this cluster over it,
    /// which nobody has found. `without`: this cluster has not been written yet. `same` says whether a
    /// cluster is what is looked for, by the writer of a cluster on the way or, if there is none, by who asks.
    pub(super) fn find(
        &self,
        name: u64,
        call: u64,
        by: Option<u64>,
        without: Option<u64>,
        same: &dyn Fn(&E, Option<&E>) -> bool,
    ) -> Result<Path, Miss> {
        let trail: SmallVec<[u64; 2]> = by.into_iter().collect();
        let mut todo = vec![(trail, name, call)];
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

    /// True if somebody who was called at `call` can be in the zone.
    fn can_stretch(&self, zone: u64, call: u64) -> bool {
        let first_return = self.zones[&zone].first_return;
        self.furthest.but_for(zone) <= first_return
            && self.recent.last_call_of_others(call, zone) <= first_return
    }

    /// True if a value can be any but this one at some moment since `call`, whatever else is the case.
    ///
    /// *Why it is true.* There is one cluster `A` of the value. If it was not known to be there before
    /// `call`, it can be looked for just before it was there: whatever comes before `A` and began since
    /// `call` can be passed over, and if something had to come after `A` before `call`, so could the search.
    /// If `A` was replaced, or some zone comes after it in any case, that was known before now: it can be
    /// looked for just after that. Else it is not clear, unless there is nothing but `A`.
    pub(super) fn can_differ(
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

    /// The next event is a return.
    pub(super) fn tick(&mut self) {
        self.now += 1;
    }

    /// A plain write returned. Gives its zone.
    pub(super) fn wrote(&mut self, id: u64) -> Option<u64> {
        let cluster = self.clusters.get(&id)?;
        if cluster.zone.is_none() {
            let call = cluster.call;
            self.occupy(id, call);
        }
        self.clusters[&id].zone
    }

    /// Somebody found a value this way. Gives the zone.
    pub(super) fn found(&mut self, path: &Path) -> Option<u64> {
        let mut trail = path.trail.iter().rev().copied();
        let mut last = path.start.or_else(|| trail.next())?;
        if path.start.is_none() {
            self.occupy(last, path.call);
        }
        let zone = self.clusters.get(&last)?.zone?;
        self.stretch(zone, path.call);
        for id in trail {
            if let Some(replaced) = self.clusters.get_mut(&last) {
                replaced.next = Some((id, self.now));
                self.replaced.push_back((self.now, last));
            }
            if let Some(cluster) = self.clusters.get_mut(&id) {
                cluster.zone = Some(zone);
                cluster.known_at = self.now;
            }
            last = id;
        }
        Some(zone)
    }

    /// Begins a zone with this cluster, now.
    fn occupy(&mut self, id: u64, last_call: u64) {
        let zone = self.recent.next();
        self.recent.push(self.now, last_call);
        self.zones.insert(zone, Zone { first_return: self.now, last_call, head: id });
        if let Some(cluster) = self.clusters.get_mut(&id) {
            cluster.zone = Some(zone);
            cluster.known_at = self.now;
        }
    }

    fn stretch(&mut self, id: u64, call: u64) {
        let Some(zone) = self.zones.get_mut(&id) else { return };
        if zone.last_call < call {
            zone.last_call = call;
            self.recent.raise(id, call);
            if self.settled.binary_search(&id).is_ok() {
                self.furthest.add(id, call);
            }
        }
    }

    /// Nobody wrote this.
    pub(super) fn unwrite(&mut self, id: u64) {
        if let Some(cluster) = self.clusters.remove(&id) {
            self.unname(cluster.name, id);
        }
    }

    fn unname(&mut self, name: u64, id: u64) {
        if let Some(ids) = self.by_name.get_mut(&name) {
            // Mostly one of the first.
            if let Some(at) = ids.iter().position(|other| *other == id) {
                ids.swap_remove(at);
            }
            if ids.is_empty() {
                self.by_name.remove(&name);
            }
        }
    }

    /// The operation that was called then is over. Forgets what cannot be found any more; `inherit` is
    /// called with a cluster that is dropped and the one that replaced it.
    pub(super) fn close(&mut self, call: u64, inherit: &mut dyn FnMut(&E, &mut E)) {
        self.calls.close(call);
        let since = self.calls.earliest().unwrap_or(self.now + 1);
        while let Some((zone, last_call)) = self.recent.pop_before(since) {
            self.settled.push_back(zone);
            self.furthest.add(zone, last_call);
        }
        self.bury();
        while self.replaced.front().is_some_and(|(at, _)| *at < since) {
            let Some((_, id)) = self.replaced.pop_front() else { break };
            // Unless its zone is dead.
            let Some(cluster) = self.clusters.remove(&id) else { continue };
            self.unname(cluster.name, id);
            let (Some(zone), Some((next, _))) = (cluster.zone, cluster.next) else { continue };
            if let Some(zone) = self.zones.get_mut(&zone) {
                zone.head = next;
            }
            if let Some(next) = self.clusters.get_mut(&next) {
                inherit(&cluster.what, &mut next.what);
            }
        }
    }

    /// Drops the settled zones that are dead: all that returned before the furthest call, but perhaps for
    /// the one whose call that is.
    fn bury(&mut self) {
        let mut at = 0;
        while let Some(&id) = self.settled.get(at) {
            let first_return = self.zones[&id].first_return;
            if first_return >= self.furthest.call {
                break;
            }
            if first_return >= self.furthest.but_for(id) {
                at += 1;
                continue;
            }
            self.settled.remove(at);
            let mut next = self.zones.remove(&id).map(|zone| zone.head);
            while let Some(id) = next {
                let Some(cluster) = self.clusters.remove(&id) else { break };
                self.unname(cluster.name, id);
                next = cluster.next.map(|(next, _)| next);
            }
        }
    }

    /// True if the zone still matters.
    pub(super) fn is_alive(&self, zone: u64) -> bool {
        self.zones.contains_key(&zone)
    }

    /// The zone of a cluster that is still known.
    pub(super) fn zone_of(&self, id: u64) -> Option<u64> {
        self.clusters.get(&id)?.zone
    }

    /// Everything that is stored: values, zones and calls.
    pub(super) fn stored(&self) -> usize {
        self.clusters.len() + self.zones.len() + self.calls.stored() + self.replaced.len()
    }

    /// The only value, if there is only one and it is known to be there.
    pub(super) fn only(&self) -> Option<&E> {
        let mut all = self.clusters.values();
        let cluster = all.next().filter(|cluster| cluster.zone.is_some())?;
        all.next().is_none().then_some(&cluster.what)
    }

    /// The chains that can still be found: their clusters in order.
    pub(super) fn chains(&self) -> impl Iterator<Item = Vec<(u64, &E)>> {
        let mut all: Vec<_> = self.zones.iter().collect();
        all.sort_unstable_by_key(|(id, _)| **id);
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

    /// Can somebody who was called at `call` find this cluster, and can he replace it? It is known to
    /// be there.
    pub(super) fn within_reach(&self, id: u64, call: u64) -> (bool, bool) {
        let Some(cluster) = self.clusters.get(&id) else { return (false, false) };
        let can = cluster.zone.is_some_and(|zone| self.can_stretch(zone, call));
        let is_there = cluster.next.is_none_or(|(_, since)| call < since);
        (can && is_there, can && cluster.next.is_none())
    }

    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// Clusters that nobody has found: their numbers, and the names of what they replace.
    pub(super) fn unknown(&self) -> Vec<(u64, Option<u64>)> {
        let unknown = self.clusters.iter().filter(|(_, cluster)| cluster.zone.is_none());
        let mut unknown: Vec<_> = unknown.map(|(id, cluster)| (*id, cluster.source)).collect();
        unknown.sort_unstable();
        unknown
    }
}
