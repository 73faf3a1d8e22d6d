//! Externally visible events of a step: a call, a linearization point, a return.

/// Packed: bit 0 is set if the operation takes effect; then the call and the return, each a number plus one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Event(pub(crate) u32);

/// Numbers of operations and results are smaller than this.
pub(crate) const MAX_OPS: u32 = (1 << 15) - 2;
pub(crate) const MAX_RETS: u32 = (1 << 16) - 2;

impl Event {
    pub(crate) fn new(call: Option<u32>, takes_effect: bool, ret: Option<u32>) -> Event {
        let call = call.map_or(0, |op| op + 1);
        let ret = ret.map_or(0, |ret| ret + 1);
        Event(u32::from(takes_effect) | call << 1 | ret << 16)
    }

    pub(crate) fn is_none(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn call(self) -> Option<u32> {
        ((self.0 >> 1) & 0x7fff).checked_sub(1)
    }

    pub(crate) fn takes_effect(self) -> bool {
        self.0 & 1 == 1
    }

    pub(crate) fn ret(self) -> Option<u32> {
        (self.0 >> 16).checked_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_events_keep_their_fields() {
        for call in [None, Some(0), Some(MAX_OPS)] {
            for ret in [None, Some(0), Some(MAX_RETS)] {
                for effect in [false, true] {
                    let event = Event::new(call, effect, ret);
                    assert_eq!(
                        (event.call(), event.takes_effect(), event.ret()),
                        (call, effect, ret)
                    );
                }
            }
        }
    }
}
