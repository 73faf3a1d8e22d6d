//! Which clients share a lane.
//!
//! In Jepsen's tests, a process whose operation had an unknown outcome never calls again. Its thread goes on as another
//! process: its number plus the number of threads. After a while there are hundreds of processes, but still only as many
//! threads, and one lane for each thread is what people want to see. The number of threads is not in the file. It is found: the
//! smallest distance at which every later process follows one that has ended.

/// What is known of a client.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lifetime {
    /// The number of its process; `None` if it has a name instead.
    pub(super) number: Option<u32>,
    /// The rank of its first call.
    pub(super) first: u32,
    /// The rank of its last call.
    pub(super) last: u32,
    /// True if the operation that it called last never returned.
    pub(super) is_lost: bool,
}

impl Lifetime {
    /// A client with one operation.
    pub(super) fn new(number: Option<u32>, call: u32, is_lost: bool) -> Lifetime {
        Lifetime { number, first: call, last: call, is_lost }
    }

    /// Adds an operation.
    pub(super) fn add(&mut self, call: u32, is_lost: bool) {
        self.first = self.first.min(call);
        if call >= self.last {
            (self.last, self.is_lost) = (call, is_lost);
        }
    }

    /// True if it ended before the other one began.
    fn precedes(&self, other: &Lifetime) -> bool {
        self.is_lost && self.last < other.first
    }
}

/// So few clients have lanes of their own, unless they are numbered as in Jepsen's tests.
const FEW: usize = 8;
/// Test at most this many numbers of threads.
const MOST_THREADS: usize = 4096;

/// The client that each one continues, by position; empty if none does. Clients that continue no other client are their own
/// predecessors.
pub(super) fn predecessors(clients: &[Lifetime]) -> Vec<usize> {
    let mut numbered: Vec<(u32, usize)> = Vec::new();
    for (at, client) in clients.iter().enumerate() {
        numbered.extend(client.number.map(|number| (number, at)));
    }
    numbered.sort_unstable();
    let mut before: Vec<usize> = (0..clients.len()).collect();
    let chain = match threads(clients, &numbered) {
        Some(threads) => by_distance(&numbered, threads),
        None if numbered.len() <= FEW => Vec::new(),
        None => by_time(clients, &numbered),
    };
    for &(at, earlier) in &chain {
        before[at] = earlier;
    }
    if chain.is_empty() { Vec::new() } else { before }
}

/// The number of threads, if all processes are numbered as Jepsen does.
fn threads(clients: &[Lifetime], numbered: &[(u32, usize)]) -> Option<u32> {
    let position = |number: u32| numbered.binary_search_by_key(&number, |(n, _)| *n).ok();
    let fits = |threads: u32| {
        let later = numbered.partition_point(|(number, _)| *number < threads);
        // A distance that only few processes have is a coincidence.
        later < numbered.len()
            && 2 * later >= threads as usize
            && numbered[later..].iter().all(|&(number, at)| {
                let earlier = position(number - threads).map(|p| numbered[p].1);
                earlier.is_some_and(|earlier| clients[earlier].precedes(&clients[at]))
            })
    };
    (1..).take(MOST_THREADS).find(|threads| fits(*threads))
}

/// Pairs of a client and the one that it continues.
fn by_distance(numbered: &[(u32, usize)], threads: u32) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for &(number, at) in numbered {
        let Some(earlier) = number.checked_sub(threads) else { continue };
        if let Ok(p) = numbered.binary_search_by_key(&earlier, |(n, _)| *n) {
            pairs.push((at, numbered[p].1));
        }
    }
    pairs
}

/// The same if the numbers do not tell: a client continues the one that has been gone for longest.
fn by_time(clients: &[Lifetime], numbered: &[(u32, usize)]) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = numbered.iter().map(|(_, at)| *at).collect();
    order.sort_by_key(|at| clients[*at].first);
    let mut gone: Vec<usize> = order.iter().copied().filter(|at| clients[*at].is_lost).collect();
    gone.sort_by_key(|at| clients[*at].last);
    let mut gone = gone.into_iter().peekable();
    let mut pairs = Vec::new();
    for at in order {
        if let Some(earlier) = gone.next_if(|earlier| clients[*earlier].precedes(&clients[at])) {
            pairs.push((at, earlier));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clients as `(number, first call, last call, whether it is lost)`.
    fn chains(clients: &[(u32, u32, u32, bool)]) -> Vec<usize> {
        let client = |&(number, first, last, is_lost): &(u32, u32, u32, bool)| {
            let mut client = Lifetime::new(Some(number), first, false);
            client.add(last, is_lost);
            client
        };
        predecessors(&clients.iter().map(client).collect::<Vec<_>>())
    }

    #[test]
    fn processes_of_one_thread_share_a_lane() {
        // Three threads; the first one crashed twice, the last one once.
        let clients = [
            (0, 0, 4, true),
            (1, 1, 90, false),
            (2, 2, 6, true),
            (5, 8, 91, false),
            (3, 9, 20, true),
            (6, 21, 92, false),
        ];
        assert_eq!(chains(&clients), [0, 1, 2, 2, 0, 4]);
    }

    #[test]
    fn no_client_continues_one_that_is_still_there() {
        let clients = [(0, 0, 50, false), (1, 1, 51, true), (2, 2, 52, false), (3, 40, 60, false)];
        assert!(chains(&clients).is_empty());
    }

    #[test]
    fn numbers_that_are_not_those_of_jepsen_are_joined_by_time() {
        let few = [
            (4, 0, 3, true),
            (9, 1, 5, true),
            (11, 2, 50, false),
            (12, 7, 51, false),
            (20, 8, 52, false),
        ];
        assert!(chains(&few).is_empty());
        // Others that are there all the time.
        let others = (0..6).map(|n| (100 + 7 * n, 0, 60, false));
        let clients: Vec<_> = few.into_iter().chain(others).collect();
        assert_eq!(chains(&clients), [0, 1, 2, 0, 1, 5, 6, 7, 8, 9, 10]);
    }

    #[test]
    fn names_are_left_alone() {
        let mut first = Lifetime::new(None, 0, true);
        first.add(2, true);
        assert!(predecessors(&[first, Lifetime::new(None, 5, false)]).is_empty());
    }
}
