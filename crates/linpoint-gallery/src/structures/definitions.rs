//! The test of each structure, by its name in the catalogue.

use linpoint::spec::models as spec;
use linpoint::spec::models::{CounterOp, KeyValueOp, QueueOp, RegisterOp, SetOp, StackOp};
use linpoint_test::{Rng, Test};

use super::{
    counter::Counter, growing_map::GrowingMap, michael_scott::MichaelScott,
    read_free_map::ReadFreeMap, register::Register, register::Variant, shann::Shann,
    sharded_map::ShardedMap, sized_stack::SizedStack, skip_list::SkipList, slot_map::SlotMap,
    ticket_queue::TicketQueue, treiber::Treiber,
};
use crate::draw;
use crate::exhibits::{Scale, Visitor, act, object};
use crate::specs::SizedSpec;

/// Calls the visitor with the test of the structure with this name; `None` if there is no such
/// structure.
pub fn visit<V: Visitor>(name: &str, scale: Scale, visitor: V) -> Option<V::Out> {
    let nodes = scale.operations_in_all() as u32 + 4;
    let places = nodes as usize;
    let keys = scale.keys();
    Some(match name {
        "counter" | "counter, load and store" => {
            let atomic = name == "counter";
            visitor.visit(
                Test::new(object(move || Counter::new(atomic), Counter::perform))
                    .spec(spec::Counter { initial: 0 })
                    .ops(|rng| if rng.chance(0.5) { CounterOp::Add(1) } else { CounterOp::Get })
                    .perform(act),
            )
        }
        "register" | "register, relaxed" | "register, hoisted" => {
            let variant = match name {
                "register" => Variant::Fenced,
                "register, relaxed" => Variant::Relaxed,
                _ => Variant::Hoisted,
            };
            let draw = |rng: &mut Rng| {
                if rng.chance(0.4) { RegisterOp::Write(rng.fresh()) } else { RegisterOp::Read }
            };
            visitor.visit(
                Test::new(object(move || Register::new(variant), Register::perform))
                    .spec(spec::Register { initial: 0 })
                    .ops(draw)
                    .perform(act),
            )
        }
        "treiber" | "treiber, ABA" => {
            let tagged = name == "treiber";
            visitor.visit(
                Test::new(object(move || Treiber::new(tagged, nodes), Treiber::perform))
                    .spec(spec::Stack::new())
                    .ops(draw::stack)
                    .perform(act)
                    .setup(if scale.is_small() { vec![StackOp::Push(1 << 30)] } else { vec![] }),
            )
        }
        "michael-scott" => visitor.visit(
            Test::new(object(move || MichaelScott::new(nodes), MichaelScott::perform))
                .spec(spec::Queue::new())
                .ops(draw::queue)
                .perform(act),
        ),
        "shann" | "shann, as published" => {
            let repaired = name == "shann";
            visitor.visit(
                Test::new(object(move || Shann::new(repaired, 2, 10_000), Shann::perform))
                    .spec(spec::Queue::bounded(2))
                    .ops(draw::queue)
                    .perform(act),
            )
        }
        "ticket queue" | "ticket queue, skips slots" => {
            let patient = name == "ticket queue";
            visitor.visit(
                Test::new(object(move || TicketQueue::new(patient, places), TicketQueue::perform))
                    .spec(spec::Queue::new())
                    .ops(draw::queue)
                    .perform(act)
                    .finally(if scale.is_small() { vec![QueueOp::Dequeue] } else { vec![] }),
            )
        }
        "sized stack" | "sized stack, size outside the lock" => {
            let locked = name == "sized stack";
            visitor.visit(
                Test::new(object(move || SizedStack::new(locked), SizedStack::perform))
                    .spec(SizedSpec::default())
                    .ops(draw::sized_stack)
                    .perform(act),
            )
        }
        "slot map" | "slot map, blind delete" => {
            let careful = name == "slot map";
            let keys = if scale.is_small() { 1 } else { 2 };
            visitor.visit(
                Test::new(object(move || SlotMap::new(careful, keys as usize), SlotMap::perform))
                    .spec(spec::KeyValue::new(None))
                    .ops(move |rng| draw::map(rng, keys))
                    .perform(act),
            )
        }
        "read-free map" | "read-free map, early status" => {
            let early = name != "read-free map";
            let keys = if scale.is_small() { 1 } else { 2 };
            visitor.visit(
                Test::new(object(
                    move || ReadFreeMap::new(early, keys as usize),
                    ReadFreeMap::perform,
                ))
                .spec(spec::KeyValue::new(None))
                .ops(move |rng| draw::map(rng, keys))
                .perform(act),
            )
        }
        "growing map" | "growing map, blind move" => {
            let careful = name == "growing map";
            let capacities: &'static [usize] =
                if scale.is_small() { &[2, 16] } else { &[4, 8, 16, 32, 64, 128] };
            // A small table is full at the start, so that it has to grow immediately.
            let full = [KeyValueOp::Put(0, 1 << 30), KeyValueOp::Put(1, 1 << 31)];
            visitor.visit(
                Test::new(object(
                    move || GrowingMap::new(careful, capacities),
                    GrowingMap::perform,
                ))
                .spec(spec::KeyValue::new(None))
                .ops(move |rng| draw::map(rng, keys))
                .perform(act)
                .setup(if scale.is_small() { full.to_vec() } else { vec![] })
                .finally((0..keys).map(KeyValueOp::Get)),
            )
        }
        "skip list" | "skip list, bad hash" => {
            let careful = name == "skip list";
            let keys = if scale.is_small() { 2 } else { 8 };
            let draw = move |rng: &mut Rng| {
                let key = rng.below(keys);
                rng.pick(&[SetOp::Contains(key), SetOp::Insert(key), SetOp::Remove(key)]).clone()
            };
            visitor.visit(
                Test::new(object(move || SkipList::new(careful, nodes), SkipList::perform))
                    .spec(spec::Set::new())
                    .ops(draw)
                    .perform(act),
            )
        }
        "sharded map" => visitor.visit(
            Test::new(object(|| ShardedMap::new(4), ShardedMap::perform))
                .spec(spec::KeyValue::new(None))
                .ops(move |rng| draw::map(rng, keys))
                .perform(act),
        ),
        _ => return None,
    })
}
