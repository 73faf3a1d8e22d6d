//! Ctrl-C. The first one cancels the running checks, so that the results so far are still printed. The
//! second one ends the process.

use std::sync::atomic::{AtomicBool, Ordering};

use linpoint::Cancel;

/// The exit code that shells expect after an interrupt.
const INTERRUPTED: i32 = 130;

/// Makes the first Ctrl-C cancel `cancel`. If no handler can be installed, Ctrl-C keeps its default effect.
pub fn cancel_on_ctrl_c(cancel: &Cancel) {
    let cancel = cancel.clone();
    let again = AtomicBool::new(false);
    let _ = ctrlc::set_handler(move || {
        if again.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        cancel.cancel();
    });
}
