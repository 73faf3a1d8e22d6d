//! How scenarios are drawn from a seed, or made from the choices of a recipe.

use std::sync::Arc;

use linpoint::Spec;

use super::Test;
use crate::rng::{Choice, Place, Rng};
use crate::scenario::{Recipe, Scenario, rng_of, values};

/// The lengths of runs that take turns, if no length is set. The first is the largest.
pub(super) const LENGTHS: [usize; 2] = [20, 4];

/// How operations are drawn.
pub(super) enum Draw<Op> {
    /// By a function.
    By(Arc<dyn Fn(&mut Rng) -> Op + Send + Sync>),
    /// Uniformly from a list, which can also be enumerated.
    From(Arc<[Op]>),
}

impl<Op> Clone for Draw<Op> {
    fn clone(&self) -> Self {
        match self {
            Draw::By(draw) => Draw::By(draw.clone()),
            Draw::From(ops) => Draw::From(ops.clone()),
        }
    }
}

impl<Op: Clone> Draw<Op> {
    #[inline]
    pub(super) fn draw(&self, rng: &mut Rng) -> Op {
        match self {
            Draw::By(draw) => draw(rng),
            Draw::From(ops) => rng.pick(ops).clone(),
        }
    }
}

/// Drawing scenarios.
impl<T, S: Spec> Test<T, S> {
    /// The number of operations of each thread in this run.
    fn operations_in(&self, run: u64) -> usize {
        self.operations.unwrap_or(LENGTHS[run as usize % LENGTHS.len()])
    }

    fn draw_of(&self, thread: usize) -> &Draw<S::Op> {
        let role = self.roles.iter().find(|(number, _)| *number == thread);
        role.map_or(&self.draw, |(_, draw)| draw)
    }

    fn place(&self, thread: usize, index: usize) -> Place {
        Place { thread, index, threads: self.threads }
    }

    /// The scenario of one run. Equal seeds and run numbers give equal scenarios.
    pub fn draw(&self, seed: u64, run: u64) -> Scenario<S::Op> {
        let thread = |thread: usize| {
            let draw = self.draw_of(thread);
            let op = |index| draw.draw(&mut rng_of(seed, run, self.place(thread, index)));
            (0..self.operations_in(run)).map(op).collect()
        };
        let threads = (0..self.threads).map(thread).collect();
        Scenario { setup: self.setup.to_vec(), threads, finally: self.finally.to_vec() }
    }

    /// The recipe of the scenario of one run.
    pub fn recipe(&self, seed: u64, run: u64) -> Recipe {
        let thread = |thread: usize| {
            let op = |index| {
                let mut rng = rng_of(seed, run, self.place(thread, index)).recording();
                self.draw_of(thread).draw(&mut rng);
                values(&rng.taken())
            };
            (0..self.operations_in(run)).map(op).collect()
        };
        Recipe { threads: (0..self.threads).map(thread).collect(), ..Recipe::default() }
    }

    /// The scenario that a recipe describes.
    pub fn instantiate(&self, recipe: &Recipe) -> Scenario<S::Op> {
        let thread = |(thread, ops): (usize, &Vec<Vec<u64>>)| {
            let op = |(index, choices): (usize, &Vec<u64>)| {
                self.draw_of(thread).draw(&mut Rng::playing(choices, self.place(thread, index)))
            };
            ops.iter().enumerate().map(op).collect()
        };
        Scenario {
            setup: recipe.setup.of(&self.setup),
            threads: recipe.threads.iter().enumerate().map(thread).collect(),
            finally: recipe.finally.of(&self.finally),
        }
    }

    /// The choices of one operation of a recipe, with the range of each.
    pub(crate) fn choices(&self, thread: usize, index: usize, choices: &[u64]) -> Vec<Choice> {
        let mut rng = Rng::playing(choices, self.place(thread, index));
        self.draw_of(thread).draw(&mut rng);
        rng.taken()
    }
}
