//! Ctrl-C: the first asks the run to stop after its pass, the second ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::print;

static ASKED: AtomicBool = AtomicBool::new(false);

/// From here on Ctrl-C (and a request to terminate) only asks. Before, while data is read, it ends the program.
pub fn listen() {
    // An error means that a handler is there already, or that the system has none: then Ctrl-C simply ends the program.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        print::note("stopping after this pass; once more ends the program at once, without saving");
    });
}

/// Whether to stop.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
