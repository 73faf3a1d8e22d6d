//! A register in a stream: the zones of [`crate::monitor`]'s registers, without those that no
//! longer matter.
//!
//! A *cluster* is a value: its write, and the operations that found it. Clusters that
//! compare-and-sets link together form a *chain*. A chain occupies the register for a *zone*, from
//! the first return of its operations to their last call. Two zones `X` and `Z` exclude each other
//! exactly if
//!
//! > `X.first_return < Z.last_call` and `Z.first_return < X.last_call`
//!
//! (two forward zones that overlap, or one that is not forward inside one that is). In a stream:
//!
//! * Only completed operations count, and writes whose values were found. A write that is open or
//!   crashed, and whose value was not found, might as well not have happened.
//! * A write that returns, and whose value was not found, is a new zone whose first return is now,
//!   after every call so far. It excludes nothing. So only *finding* a value (reads,
//!   compare-and-sets) can fail.
//! * An operation that finds a value stretches the zone of the value to its own call; and if the value comes from
//!   compare-and-sets that are open, to theirs, and chains them to what they replaced. Inside a chain, a cluster that was
//!   replaced can be found only by an operation that was called before the next one was known to have been found.
//! * First returns never change, and last calls only grow. Zones that exclude each other do so
//!   permanently.
//!
//! **What is forgotten.** Let `since` be the earliest call of an open operation, or now. Every
//! operation that finds something from now on was called at `since` or later. Call a zone `Z`
//! *settled* if `Z.first_return < since`. A zone `X` can be stretched to some `c >= since` beside a
//! settled `Z` exactly if `Z.last_call <= X.first_return`. So all settled zones are summed up in
//! one number (two, to leave out `X` itself: see [`Furthest`]). The zones that it excludes are
//! *dead*: their values can no longer be found, and a return that claims to have found one is a
//! violation, as if the value had never been written. A cluster that was replaced before `since` is
//! dead as well. Dead clusters and zones are dropped. A dead zone excludes nothing that the number
//! does not, so it is not needed for anything else. A value that is written again when its first
//! cluster is dead is a new value.
//!
//! **Memory.** Zones that are settled and alive were all open at one moment, except for one: `X.last_call <=
//! F.last_call <= X.first_return`, where `F` reaches furthest. Zones that are not settled began to return after `since`: each of
//! their values can still be found by the operation that was called then, so an exact monitor has to
//! remember them. In all O(operations that overlapped the oldest open one), and crashed writes that
//! were not found, which may be found at any time.
//!
//! **Repeated values.** If an operation could have found a value in several clusters, the cluster
//! is ambiguous: [`Miss::Unclear`](super::monitor::Miss::Unclear), and another engine has to take
//! over. If there is only one, it is that one.
//!
//! Time O(log window) for each event, plus the compare-and-sets on the path to a value.

mod find;
mod recent;

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::open_calls::OpenCalls;
pub(super) use find::Path;
use recent::Recent;

/// A value. `E` is the caller's data about it.
#[derive(Clone, Debug)]
pub(super) struct Cluster<E> {
    name: u64,
    /// When its write began.
    call: u64,
    /// The name of the value that its write replaces; `None` for a plain write.
    source: Option<u64>,
    /// `None` as long as its write has not returned and it was not found.
    zone: Option<u64>,
    /// The time from which it is known to have been written.
    known_at: u64,
    /// What replaced it, and the time from which that is known.
    next: Option<(u64, u64)>,
    pub(super) what: E,
}

impl<E> Cluster<E> {
    pub(super) fn is_named(&self, name: u64) -> bool {
        self.name == name
    }

    /// True if it may be written over any value.
    pub(super) fn is_plain(&self) -> bool {
        self.source.is_none()
    }

    /// True if it is written over this value.
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

/// The last call of all settled zones, and of all but the zone that has it.
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

/// A register. See the [module documentation](self).
#[derive(Clone, Debug)]
pub(super) struct Zones<E> {
    /// Number of events so far.
    now: u64,
    calls: OpenCalls,
    clusters: FxHashMap<u64, Cluster<E>>,
    made: u64,
    by_name: FxHashMap<u64, SmallVec<[u64; 1]>>,
    zones: FxHashMap<u64, Zone>,
    /// Zones that are not settled.
    recent: Recent,
    /// Settled zones that are not dead, by first return.
    settled: VecDeque<u64>,
    furthest: Furthest,
    /// Replaced clusters, by the time of replacement.
    replaced: VecDeque<(u64, u64)>,
}

impl<E> Zones<E> {
    /// A register with an initial value.
    pub(super) fn new(name: u64, what: E) -> Self {
        let mut zones = Zones {
            now: 0,
            calls: OpenCalls::default(),
            clusters: FxHashMap::default(),
            made: 0,
            by_name: FxHashMap::default(),
            zones: FxHashMap::default(),
            recent: Recent::default(),
            settled: VecDeque::new(),
            furthest: Furthest::default(),
            replaced: VecDeque::new(),
        };
        // Written before everything else.
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

    /// The most recently called operation may write a value, over any value or over `source`.
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

    /// True if the cluster is known to have been written.
    pub(super) fn is_known(&self, id: u64) -> bool {
        self.clusters.get(&id).is_none_or(|cluster| cluster.zone.is_some())
    }

    /// The next event is a return.
    pub(super) fn tick(&mut self) {
        self.now += 1;
    }

    /// A plain write returned. Returns its zone.
    pub(super) fn wrote(&mut self, id: u64) -> Option<u64> {
        let cluster = self.clusters.get(&id)?;
        if cluster.zone.is_none() {
            let call = cluster.call;
            self.occupy(id, call);
        }
        self.clusters[&id].zone
    }

    /// A value was found along this path. Returns the zone.
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

    /// This cluster was not written.
    pub(super) fn unwrite(&mut self, id: u64) {
        if let Some(cluster) = self.clusters.remove(&id) {
            self.unname(cluster.name, id);
        }
    }

    fn unname(&mut self, name: u64, id: u64) {
        if let Some(ids) = self.by_name.get_mut(&name) {
            // Usually one of the first.
            if let Some(at) = ids.iter().position(|other| *other == id) {
                ids.swap_remove(at);
            }
            if ids.is_empty() {
                self.by_name.remove(&name);
            }
        }
    }

    /// The operation called at `call` has ended. Forgets what can no longer be found. Calls
    /// `inherit` with each dropped cluster and the one that replaced it.
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
            // If its zone is dead, it is already gone.
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

    /// Drops the settled zones that are dead: all whose first return is before the furthest call,
    /// except possibly the zone that has this call.
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

    /// The zone of a cluster that is still stored.
    pub(super) fn zone_of(&self, id: u64) -> Option<u64> {
        self.clusters.get(&id)?.zone
    }

    /// The caller's data about the stored values.
    pub(super) fn values(&self) -> impl Iterator<Item = &E> {
        self.clusters.values().map(|cluster| &cluster.what)
    }

    /// Number of stored items: values, zones and calls.
    pub(super) fn stored(&self) -> usize {
        self.clusters.len() + self.zones.len() + self.calls.stored() + self.replaced.len()
    }

    /// The only value, if there is exactly one and it is known to have been written.
    pub(super) fn only(&self) -> Option<&E> {
        let mut all = self.clusters.values();
        let cluster = all.next().filter(|cluster| cluster.zone.is_some())?;
        all.next().is_none().then_some(&cluster.what)
    }

    pub(super) fn now(&self) -> u64 {
        self.now
    }
}
