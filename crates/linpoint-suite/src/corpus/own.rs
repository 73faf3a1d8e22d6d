//! The suite's own specifications.

use crate::specs::{
    CellOp, Cells, Die, DieOp, DieRet, ListOp, LossyOp, LossyRegister, MailOp, Mailbox, Pool,
    PoolOp, ShortList, Slot, SlotOp,
};
use crate::vocabulary::Vocabulary;

/// See [`LossyRegister`].
pub fn lossy_register() -> Vocabulary<LossyRegister> {
    Vocabulary::new("lossy register", LossyRegister)
        .op(LossyOp::Read, [0, 1, 2].map(Some))
        .once(LossyOp::Write(1), [None])
        .once(LossyOp::Write(2), [None])
        .exhaustive_so_far()
        .once(LossyOp::Write(0), [None])
        .op(LossyOp::Read, [0, 1, 2, 3].map(Some))
}

/// See [`Pool`].
pub fn pool() -> Vocabulary<Pool> {
    Vocabulary::new("pool", Pool)
        .op(PoolOp::Take, [None, Some(1), Some(2)])
        .once(PoolOp::Put(1), [None])
        .once(PoolOp::Put(2), [None])
        .op(PoolOp::Discard, [None])
        .exhaustive_so_far()
        .op(PoolOp::Take, [None, Some(1), Some(2), Some(3)])
        .once(PoolOp::Put(3), [None])
}

/// See [`Die`].
pub fn die() -> Vocabulary<Die> {
    Vocabulary::new("die", Die)
        .op(DieOp::Roll, [DieRet::Rolled])
        .op(DieOp::Look, [0, 1, 2].map(DieRet::Shows))
        .op(DieOp::Nudge(1), [true, false].map(DieRet::Nudged))
        .exhaustive_so_far()
        .op(DieOp::Look, [0, 1, 2, 3, 4].map(DieRet::Shows))
        .op(DieOp::Nudge(2), [true, false].map(DieRet::Nudged))
}

/// See [`ShortList`].
pub fn short_list() -> Vocabulary<ShortList> {
    let lengths = || [None, Some(1), Some(2), Some(3)];
    Vocabulary::new("short list", ShortList::default())
        .once(ListOp::Push(1), lengths())
        .op(ListOp::Pop, [None, Some(1)])
        .exhaustive_so_far()
        .once(ListOp::Push(2), lengths())
        .once(ListOp::Push(3), lengths())
        .op(ListOp::Reverse, [Some(0), Some(1), Some(2), Some(3)])
        .op(ListOp::Pop, [None, Some(1), Some(2), Some(3)])
}

/// See [`Slot`].
pub fn slot() -> Vocabulary<Slot> {
    Vocabulary::new("slot", Slot::default())
        .once(SlotOp::Put(1), [None])
        .once(SlotOp::Put(2), [None])
        .op(SlotOp::Take, [Some(1), Some(2)])
        .op(SlotOp::Peek, [None, Some(1)])
        .exhaustive_so_far()
        .op(SlotOp::Take, [None, Some(1), Some(2), Some(3)])
        .op(SlotOp::Peek, [None, Some(1), Some(2)])
}

/// See [`Cells`].
pub fn cells() -> Vocabulary<Cells> {
    let values = || [Some(0), Some(1), Some(2)];
    Vocabulary::new("cells", Cells::default())
        .op(CellOp::Get(0), [Some(0), Some(1)])
        .once(CellOp::Set(0, 1), [None])
        .op(CellOp::Get(1), [Some(0), Some(1)])
        .op(CellOp::Copy(0, 1), [Some(0), Some(1)])
        .exhaustive_so_far()
        .op(CellOp::Get(1), values())
        .op(CellOp::Get(2), values())
        .once(CellOp::Set(1, 2), [None])
        .once(CellOp::Set(2, 1), [None])
        .once(CellOp::Set(2, 2), [None])
        .op(CellOp::Copy(1, 2), values())
}

/// See [`Mailbox`].
pub fn mailbox() -> Vocabulary<Mailbox> {
    Vocabulary::new("mailbox", Mailbox::default())
        .once(MailOp::Send(1), [None])
        .op(MailOp::Receive, [None, Some(1)])
        .op(MailOp::Count, [Some(0), Some(1)])
        .exhaustive_so_far()
        .once(MailOp::Send(2), [None])
        .once(MailOp::Send(3), [None])
        .op(MailOp::Receive, [None, Some(1), Some(2), Some(3), Some(9)])
        .op(MailOp::Count, [Some(0), Some(1), Some(2), Some(3)])
}
