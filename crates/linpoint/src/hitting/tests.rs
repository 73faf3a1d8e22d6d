//! Compares the implementation with the definitions, taken literally.

use super::depth::before_each;
use super::family::eager;
use super::*;

/// A random poset: either each pair ordered with some probability, closed transitively, or
/// intervals.
fn random_poset(random: &mut fastrand::Rng, most: usize) -> Poset {
    let count = random.usize(1..=most);
    if random.bool() {
        let mut ends: Vec<(u32, u32)> = (0..count)
            .map(|_| (random.u32(0..20), random.u32(0..8)))
            .map(|(from, length)| (from, from + length))
            .collect();
        ends.sort_unstable();
        return Poset::new(count, |a, b| ends[a].1 < ends[b].0).unwrap();
    }
    let chance = random.f64();
    let mut before = vec![vec![false; count]; count];
    for b in 0..count {
        for a in (0..b).rev() {
            let direct = random.f64() < chance;
            before[a][b] = direct || (a + 1..b).any(|c| before[a][c] && before[c][b]);
        }
    }
    Poset::new(count, |a, b| before[a][b]).unwrap()
}

fn is_schedule(poset: &Poset, schedule: &[u8]) -> bool {
    let mut sorted = schedule.to_vec();
    sorted.sort_unstable();
    let all = sorted.iter().copied().eq((0..poset.len()).map(|x| x as u8));
    let in_order = |(at, x): (usize, &u8)| {
        schedule[at + 1..].iter().all(|y| !poset.at_most(usize::from(*y), usize::from(*x)))
    };
    all && schedule.iter().enumerate().all(in_order)
}

/// Definition 4.1.
fn strongly_hits(poset: &Poset, schedule: &[u8], tuple: &[usize]) -> bool {
    let place = |x: usize| schedule.iter().position(|y| usize::from(*y) == x).unwrap();
    (0..poset.len()).all(|y| {
        (0..tuple.len())
            .all(|i| place(y) < place(tuple[i]) || tuple[i..].iter().any(|x| poset.at_most(*x, y)))
    })
}

/// Calls `each` for all tuples of distinct elements.
fn tuples(count: usize, d: usize, tuple: &mut Vec<usize>, each: &mut dyn FnMut(&[usize])) {
    if tuple.len() == d {
        return each(tuple);
    }
    for x in 0..count {
        if !tuple.contains(&x) {
            tuple.push(x);
            tuples(count, d, tuple, each);
            tuple.pop();
        }
    }
}

fn posets() -> usize {
    let long = std::env::var_os("LINPOINT_LONG").is_some_and(|value| value == "1");
    if long { 200_000 } else { 3_000 }
}

#[test]
fn families_strongly_hit_every_tuple() {
    let mut random = fastrand::Rng::with_seed(5);
    let (mut hit, mut schedules) = (0_u64, 0_u64);
    for _ in 0..posets() {
        let poset = random_poset(&mut random, 7);
        let n = poset.len();
        let fewest = poset.fewest_chains();
        let each_alone: Vec<Vec<usize>> = (0..n).map(|x| vec![x]).collect();
        for chains in [&fewest, &each_alone] {
            let mut family = Family::new(&poset, chains, usize::MAX);
            let mut bound = chains.len();
            for d in 1..=3 {
                family.grow().unwrap();
                assert!(family.len() <= bound.max(chains.len()), "{d}: {poset:?}");
                bound *= n.saturating_sub(d - 1);
                let all: Vec<&[u8]> = family.schedules().collect();
                assert!(all.iter().all(|schedule| is_schedule(&poset, schedule)));
                schedules += all.len() as u64;
                tuples(n, d, &mut Vec::new(), &mut |tuple| {
                    // The schedule that the construction makes for this tuple is in the family.
                    let chain = chains.iter().find(|chain| chain.contains(&tuple[0])).unwrap();
                    let own = eager(&poset, chain, &tuple[1..]);
                    assert!(strongly_hits(&poset, &own, tuple), "{tuple:?} {own:?} {poset:?}");
                    assert!(all.contains(&&own[..]), "{tuple:?} {own:?} {poset:?}");
                    hit += 1;
                });
            }
        }
    }
    println!("{} posets, {hit} tuples hit, {schedules} schedules", posets());
}

/// The bound of the paper: m·n(n-1)…(n-d+2).
#[test]
fn families_are_not_larger_than_the_bound() {
    let mut random = fastrand::Rng::with_seed(6);
    for _ in 0..2000 {
        let poset = random_poset(&mut random, 10);
        let chains = poset.fewest_chains();
        let mut family = Family::new(&poset, &chains, usize::MAX);
        let (mut bound, mut count) = (chains.len(), poset.len());
        for d in 1..=poset.len().min(4) {
            family.grow().unwrap();
            assert_eq!(family.d(), d);
            assert!(family.len() <= bound, "d = {d}: {} > {bound}, {poset:?}", family.len());
            bound *= count;
            count -= 1;
        }
        // With all elements delayed in turn, the family contains every schedule.
        if poset.len() <= 6 {
            (family.d()..poset.len()).for_each(|_| family.grow().unwrap());
            assert_eq!(Some(family.len() as u128), poset.schedules(1 << 20));
        }
    }
    let poset = Poset::new(8, |_, _| false).unwrap();
    let mut family = Family::new(&poset, &poset.fewest_chains(), 30);
    assert_eq!((family.grow(), family.grow()), (Ok(()), Err(TooMany)));
    // One schedule, and very many ways to make it.
    let poset = Poset::new(MOST_ELEMENTS, |a, b| a < b).unwrap();
    let mut family = Family::new(&poset, &poset.fewest_chains(), 1000);
    assert_eq!([(); 4].map(|()| family.grow()), [Ok(()), Ok(()), Err(TooMany), Err(TooMany)]);
    assert_eq!(family.len(), 1);
}

#[test]
fn chains_are_as_few_as_possible() {
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..2000 {
        let poset = random_poset(&mut random, 9);
        let chains = poset.fewest_chains();
        let mut members: Vec<usize> = chains.concat();
        members.sort_unstable();
        assert!(members.into_iter().eq(0..poset.len()));
        for chain in &chains {
            assert!(chain.windows(2).all(|two| poset.at_most(two[0], two[1])));
        }
        let unordered = |set: &u32| {
            let of = |x: usize| set >> x & 1 == 1;
            (0..poset.len()).all(|b| !of(b) || (0..b).all(|a| !of(a) || !poset.at_most(a, b)))
        };
        let widest = (0..1_u32 << poset.len()).filter(unordered).map(u32::count_ones).max();
        assert_eq!(Some(chains.len() as u32), widest);
    }
}

/// Compares the larger order of [`super::depth`] with Definition 4.1, on all schedules.
#[test]
fn the_larger_order_has_exactly_the_strongly_hitting_schedules() {
    let mut random = fastrand::Rng::with_seed(8);
    let mut compared = 0;
    for _ in 0..300 {
        let poset = random_poset(&mut random, 5);
        let n = poset.len();
        let mut family = Family::new(&poset, &poset.fewest_chains(), usize::MAX);
        (0..n).for_each(|_| family.grow().unwrap());
        for d in 1..=n.min(3) {
            tuples(n, d, &mut Vec::new(), &mut |tuple| {
                let last_first: Vec<usize> = tuple.iter().rev().copied().collect();
                let before = before_each(&poset, &last_first);
                for schedule in family.schedules() {
                    let mut done = 0;
                    let fits = schedule.iter().all(|x| {
                        let free = before[usize::from(*x)] & !done == 0;
                        done |= 1 << x;
                        free
                    });
                    assert_eq!(fits, strongly_hits(&poset, schedule, tuple));
                    compared += 1;
                }
            });
        }
    }
    assert!(compared > 50_000, "{compared}");
}

/// The paper's example: 1 before 2, and 0 unordered. The algorithm as printed misses ⟨0, 2, 1⟩.
#[test]
fn hits_the_tuple_that_the_printed_algorithm_misses() {
    // Numbered along the order: 0 before 1, and 2 unordered.
    let poset = Poset::new(3, |a, b| (a, b) == (0, 1)).unwrap();
    let own = eager(&poset, &[2], &[1, 0]);
    assert_eq!(&own[..], [2, 0, 1]);
    assert!(strongly_hits(&poset, &own, &[2, 1, 0]));
    assert!(!strongly_hits(&poset, &[0, 2, 1], &[2, 1, 0]));
}
