//! Registers, locks, and vectors that only grow.

use std::sync::Arc;

use linpoint_test::prelude::*;
use linpoint_test::report::Files;
use published::growing;

#[test]
fn arc_swap() {
    Stress::new(|| arc_swap::ArcSwap::from_pointee(0))
        .spec(Register { initial: 0 })
        .ops(|rng| match rng.below(2) {
            0 => RegisterOp::Read,
            _ => RegisterOp::Write(rng.fresh()),
        })
        .perform(|cell, op| match op {
            RegisterOp::Read => RegisterRet::Value(**cell.load()),
            RegisterOp::Write(value) => {
                cell.store(Arc::new(*value));
                RegisterRet::Written
            }
        })
        .files(Files::none())
        .run();
}

#[test]
fn parking_lot() {
    Stress::new(|| parking_lot::RwLock::new(0))
        .spec(Register { initial: 0 })
        .ops(|rng| match rng.below(2) {
            0 => RegisterOp::Read,
            _ => RegisterOp::Write(rng.fresh()),
        })
        .perform(|cell, op| match op {
            RegisterOp::Read => RegisterRet::Value(*cell.read()),
            RegisterOp::Write(value) => {
                *cell.write() = *value;
                RegisterRet::Written
            }
        })
        .files(Files::none())
        .run();
}

#[test]
fn boxcar() {
    growing(boxcar::Vec::new, |v, x| v.push(x), |v, i| v.get(i).copied(), |v| v.count());
}

#[test]
fn append_only_vec() {
    type Vector = append_only_vec::AppendOnlyVec<u64>;
    let get = |v: &Vector, i: usize| (i < v.len()).then(|| v[i]);
    growing(Vector::new, |v, x| v.push(x), get, |v| v.len());
}
