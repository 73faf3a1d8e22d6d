//! Objects that hold values: registers, stores, snapshots, accounts.

use std::collections::BTreeMap;

use linpoint::spec::models::{
    Bank, BankOp, BankRet, CasRegister, CasRegisterOp, CasRegisterRet, Counter, CounterOp,
    CounterRet, KeyValue, KeyValueOp, KeyValueRet, Micro, MultiRegister, Reads, Register,
    RegisterOp, RegisterRet, Rmw, RmwOp, RmwRet, Snapshot, SnapshotOp, SnapshotRet, Transaction,
};

use crate::vocabulary::Vocabulary;

/// A register.
pub fn register() -> Vocabulary<Register<u8>> {
    let values = || [0, 1, 2].map(RegisterRet::Value);
    Vocabulary::new("register", Register { initial: 0 })
        .op(RegisterOp::Read, values())
        .once(RegisterOp::Write(1), [RegisterRet::Written])
        .once(RegisterOp::Write(2), [RegisterRet::Written])
        .exhaustive_so_far()
        .once(RegisterOp::Write(0), [RegisterRet::Written])
        .once(RegisterOp::Write(3), [RegisterRet::Written])
        .op(RegisterOp::Read, values().into_iter().chain([3, 9].map(RegisterRet::Value)))
}

/// A register with compare-and-set.
pub fn cas_register() -> Vocabulary<CasRegister<u8>> {
    use CasRegisterOp::{Cas, Read, Write};
    use CasRegisterRet::{Bool, Value, Written};
    let both = || [true, false].map(Bool);
    Vocabulary::new("compare-and-set register", CasRegister { initial: 0 })
        .op(Read, [1, 2].map(Value))
        .once(Write(1), [Written])
        .op(Cas(1, 2), both())
        .op(Cas(0, 1), both())
        .exhaustive_so_far()
        .op(Read, [0, 1, 2, 3, 9].map(Value))
        .once(Write(2), [Written])
        .once(Write(3), [Written])
        .once(Write(0), [Written])
        .op(Cas(2, 1), both())
        .op(Cas(2, 2), both())
        .op(Cas(3, 0), both())
        .op(Cas(1, 4), both())
        .op(Cas(4, 5), both())
}

/// Registers with transactions. Key 0 begins with 1, the others with 0.
pub fn multi_register() -> Vocabulary<MultiRegister<u8, u8>> {
    use Micro::{Read, Write};
    let t = |steps: &[Micro<u8, u8>]| Transaction(steps.to_vec());
    let reads = |all: &[&[u8]]| -> Vec<Reads<u8>> {
        all.iter().map(|one| Reads(one.iter().copied().map(Some).collect())).collect()
    };
    let spec = MultiRegister { initial: BTreeMap::from([(0, 1)]), default: 0 };
    Vocabulary::new("multi-register", spec)
        .op(t(&[Read(0)]), reads(&[&[1], &[2]]))
        .once(t(&[Write(0, 2)]), reads(&[&[]]))
        .op(t(&[Read(0), Read(1)]), reads(&[&[1, 0], &[2, 3]]))
        .once(t(&[Write(0, 2), Write(1, 3)]), reads(&[&[]]))
        .exhaustive_so_far()
        .op(
            t(&[Read(0), Read(1)]),
            reads(&[&[1, 0], &[2, 3], &[1, 3], &[2, 0], &[3, 0], &[1]]).into_iter().chain([
                Reads(vec![Some(2), None]),
                Reads(vec![None, Some(3)]),
                Reads(vec![None, None]),
            ]),
        )
        .op(t(&[Read(1)]), reads(&[&[0], &[3], &[1], &[9]]))
        .op(t(&[Read(2)]), reads(&[&[0], &[1]]))
        .once(t(&[Write(2, 1)]), reads(&[&[]]))
        .once(t(&[Write(1, 1)]), reads(&[&[]]))
        .once(t(&[Write(0, 3), Read(0)]), reads(&[&[3], &[1]]))
        .once(t(&[Read(1), Write(0, 1)]), reads(&[&[0], &[1], &[3]]))
        .once(t(&[Read(2), Write(1, 3), Write(1, 2)]), reads(&[&[0], &[1]]))
        .op(t(&[]), reads(&[&[], &[1]]))
}

/// A key-value store of two keys. Appending adds numbers.
pub fn key_value() -> Vocabulary<KeyValue<u8, u8>> {
    use KeyValueOp::{Append, CompareAndSet, Delete, Get, GetOrElseUpdate, Put, Remove};
    use KeyValueRet::{Bool, Done, Value};
    let values = || [None, Some(1), Some(2), Some(3)].map(Value);
    Vocabulary::new("key-value store", KeyValue::new(None))
        .op(Get(0), [None, Some(1)].map(Value))
        .once(Put(0, 1), [Done])
        .op(Remove(0), [None, Some(1)].map(Value))
        .op(GetOrElseUpdate(0, 2), [Some(1), Some(2)].map(Value))
        .exhaustive_so_far()
        .op(Get(0), values().into_iter().chain([Value(Some(4)), Value(Some(9))]))
        .op(Get(1), values())
        .once(Put(0, 2), [Done])
        .once(Put(1, 1), [Done])
        .once(Append(0, 1), [Done])
        .once(Append(0, 2), [Done])
        .once(Append(1, 2), [Done])
        .op(Delete(0), [Done])
        .op(Remove(0), values())
        .op(Remove(1), values())
        .op(GetOrElseUpdate(0, 3), values())
        .op(GetOrElseUpdate(1, 1), values())
        .op(CompareAndSet(0, Some(1), 2), [true, false].map(Bool))
        .op(CompareAndSet(0, None, 1), [true, false].map(Bool))
        .op(CompareAndSet(0, Some(2), 2), [true, false].map(Bool))
        .op(CompareAndSet(1, Some(1), 3), [true, false].map(Bool))
}

/// A key-value store in which a missing key holds 0, with the operations that are most similar.
pub fn key_value_full() -> Vocabulary<KeyValue<u8, u8>> {
    use KeyValueOp::{Append, CompareAndSet, Delete, Get, Put};
    use KeyValueRet::{Bool, Done, Value};
    let values = || [Some(0), Some(1), Some(2)].map(Value);
    Vocabulary::new("key-value store with a default", KeyValue::new(Some(0)))
        .op(Get(0), values())
        .once(Append(0, 1), [Done])
        .op(Delete(0), [Done])
        .op(CompareAndSet(0, Some(1), 2), [true, false].map(Bool))
        .exhaustive_so_far()
        .op(Get(0), values().into_iter().chain([Value(None), Value(Some(3))]))
        .op(Get(1), values())
        .once(Append(0, 2), [Done])
        .once(Append(1, 1), [Done])
        .once(Put(0, 1), [Done])
        .once(Put(1, 2), [Done])
        .op(CompareAndSet(0, Some(0), 3), [true, false].map(Bool))
}

/// A number.
pub fn counter() -> Vocabulary<Counter> {
    use CounterOp::{Add, FetchAdd, Get};
    use CounterRet::{Done, Value};
    Vocabulary::new("counter", Counter { initial: 0 })
        .op(Get, [0, 1, 2].map(Value))
        .op(Add(1), [Done])
        .op(FetchAdd(1), [0, 1].map(Value))
        .exhaustive_so_far()
        .op(Get, [-1, 0, 1, 2, 3, 4].map(Value))
        .op(FetchAdd(1), [0, 1, 2, 3].map(Value))
        .op(FetchAdd(2), [-1, 0, 1, 2].map(Value))
        .op(Add(-1), [Done])
        .op(Add(0), [Done])
        .op(FetchAdd(0), [0, 1, 2].map(Value))
}

/// A register with swaps only.
pub fn rmw() -> Vocabulary<Rmw<u8>> {
    let values = || [0, 1, 2].map(RmwRet);
    Vocabulary::new("swap register", Rmw { initial: 0 })
        .once(RmwOp(1), values())
        .once(RmwOp(2), values())
        .exhaustive_so_far()
        .once(RmwOp(0), values())
        .once(RmwOp(1), [0, 1, 2, 3].map(RmwRet))
        .once(RmwOp(2), [0, 1, 2, 9].map(RmwRet))
        .once(RmwOp(3), [0, 1, 2, 3].map(RmwRet))
}

/// Segments that are read all together.
pub fn snapshot() -> Vocabulary<Snapshot<u8>> {
    use SnapshotOp::{Scan, Update};
    use SnapshotRet::{Done, Values};
    let scan = |values: &[Option<u8>]| Values(values.to_vec().into());
    Vocabulary::new("snapshot", Snapshot { segments: 2, initial: 0 })
        .op(Scan, [[0, 0], [1, 0], [0, 1], [1, 1]].map(|v| scan(&v.map(Some))))
        .once(Update(0, 1), [Done])
        .once(Update(1, 1), [Done])
        .exhaustive_so_far()
        .op(
            Scan,
            [[0, 0], [1, 0], [0, 1], [1, 1], [2, 1], [2, 0], [0, 9]]
                .map(|v| scan(&v.map(Some)))
                .into_iter()
                .chain([scan(&[Some(1)]), scan(&[None, Some(1)]), scan(&[Some(0); 3])]),
        )
        .once(Update(0, 2), [Done])
        .once(Update(1, 0), [Done])
        .once(Update(0, 0), [Done])
        .once(Update(2, 1), [Done])
}

/// Two accounts.
pub fn bank() -> Vocabulary<Bank<u8>> {
    use BankOp::{ReadAll, Transfer};
    use BankRet::{Balances, Bool};
    let balances = |a: i64, b: i64| Balances(vec![(0, a), (1, b)]);
    let transfer = |from, to, amount| Transfer { from, to, amount };
    let both = || [true, false].map(Bool);
    Vocabulary::new("bank", Bank { initial: BTreeMap::from([(0, 2), (1, 0)]) })
        .op(ReadAll, [balances(2, 0), balances(1, 1), balances(0, 2)])
        .op(transfer(0, 1, 1), both())
        .op(transfer(1, 0, 1), both())
        .exhaustive_so_far()
        .op(
            ReadAll,
            [
                balances(2, 0),
                balances(1, 1),
                balances(0, 2),
                balances(1, 0),
                balances(3, -1),
                Balances(vec![(1, 0), (0, 2)]),
            ],
        )
        .op(transfer(0, 1, 2), both())
        .op(transfer(0, 0, 1), both())
        .op(transfer(0, 1, 0), both())
        .op(transfer(1, 7, 1), both())
        .op(transfer(1, 0, -1), both())
}
