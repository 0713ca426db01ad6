//! Signals that ask the program to end: Ctrl-C (SIGINT), SIGTERM and SIGHUP.
//!
//! While a command listens, the first one only asks: the run breaks off, what was found is saved, and the program ends with
//! 128 + the number of the signal, as shells count it: 130 for SIGINT, 143 for SIGTERM. A second one that is not
//! part of the first, or the first when nobody listens (while data is read or predicted), ends the program at once with the same code.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::{Duration, Instant};

use maxmargin::solver::Halt;

use crate::print;

/// The first signal that came while a command listened.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// Whether one came; solvers look at it.
static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static LISTENING: AtomicBool = AtomicBool::new(false);
/// When it came.
static FIRST: OnceLock<Instant> = OnceLock::new();
/// A second one that comes sooner is the same: who signals a process and its whole group, as `timeout` does, asks once.
const AT_ONCE: Duration = Duration::from_secs(1);
/// Whether a command has left out something because of it.
static HEEDED: AtomicBool = AtomicBool::new(false);

/// As long as it lives, a signal only asks.
pub struct Listening(());

/// From here on the first signal only asks.
pub fn listen() -> Listening {
    LISTENING.store(true, Ordering::SeqCst);
    Listening(())
}

impl Drop for Listening {
    fn drop(&mut self) {
        LISTENING.store(false, Ordering::SeqCst);
    }
}

/// Whether to stop.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// For solvers: due when a signal asks.
pub fn halt() -> Halt {
    Halt::when(ASKED.clone())
}

/// Says that something was left out because a signal asked: the exit code will tell.
pub fn heed() {
    HEEDED.store(true, Ordering::SeqCst);
}

/// The name of the signal because of which something was left out.
pub fn signal() -> Option<&'static str> {
    HEEDED.load(Ordering::SeqCst).then(|| match SIGNAL.load(Ordering::SeqCst) {
        1 => "SIGHUP",
        15 => "SIGTERM",
        _ => "SIGINT",
    })
}

/// The exit code of a command that left something out because of a signal.
pub fn exit_code() -> Option<u8> {
    let code = code_of(SIGNAL.load(Ordering::SeqCst));
    HEEDED.load(Ordering::SeqCst).then_some(code as u8)
}

fn code_of(signal: i32) -> i32 {
    128 + signal
}

fn receive(signal: i32) {
    let is_listening = LISTENING.load(Ordering::SeqCst);
    if is_listening && asked() && FIRST.get().is_some_and(|first| first.elapsed() < AT_ONCE) {
        return;
    }
    if !is_listening || asked() {
        std::process::exit(code_of(signal));
    }
    FIRST.get_or_init(Instant::now);
    SIGNAL.store(signal, Ordering::SeqCst);
    ASKED.store(true, Ordering::SeqCst);
    print::note("stopping as soon as it can be; once more ends the program at once, without saving");
}

/// Takes charge of signals. To be called before any other thread is there: threads inherit what is blocked.
#[cfg(unix)]
pub fn prepare() {
    use nix::sys::signal::{SigSet, Signal};
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGINT);
    signals.add(Signal::SIGTERM);
    // Under nohup a hangup is ignored, and must stay so.
    if !is_ignored(Signal::SIGHUP as i32) {
        signals.add(Signal::SIGHUP);
    }
    // Without a thread that waits for them signals must stay what they are: then they simply end the program.
    if signals.thread_block().is_err() {
        return;
    }
    let wait = move || {
        while let Ok(signal) = signals.wait() {
            receive(signal as i32);
        }
    };
    if std::thread::Builder::new().name("signals".to_owned()).spawn(wait).is_err() {
        let _ = signals.thread_unblock();
    }
}

/// Whether this process was started with the signal ignored, where the system tells.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

/// Takes charge of Ctrl-C.
#[cfg(not(unix))]
pub fn prepare() {
    // An error means that the system has none: then Ctrl-C simply ends the program.
    let _ = ctrlc::set_handler(|| receive(2));
}
