//! Ctrl-C: the first one ends what runs, so that what was found so far is still said; the second one ends
//! everything.

use std::sync::atomic::{AtomicBool, Ordering};

use linpoint::Cancel;

/// What shells expect of somebody who was interrupted.
const INTERRUPTED: i32 = 130;

/// Lets the first Ctrl-C cancel. Where that is impossible, Ctrl-C does what it always does.
pub fn cancels(cancel: &Cancel) {
    let cancel = cancel.clone();
    let again = AtomicBool::new(false);
    let _ = ctrlc::set_handler(move || {
        if again.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        cancel.cancel();
    });
}
