//! thingbuf: a buffer for two holds two elements. A thread pops one and pushes one, and the push finds the buffer full.
//! No other thread pushes.

use thingbuf::ThingBuf;

fn main() {
    published::race(
        || {
            let buffer = ThingBuf::new(2);
            buffer.push(1).unwrap();
            buffer.push(2).unwrap();
            buffer
        },
        |buffer| buffer.pop(),
        |buffer| buffer.pop().is_some() && buffer.push(3).is_err(),
        |_, wrong| *wrong,
        "an element was popped, and there was no room for another",
    );
}
