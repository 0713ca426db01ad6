//! Work on other threads while Python's own thread waits for it: it runs callbacks, and looks for signals.
//!
//! Python delivers signals to its main thread only, and only while that thread runs Python. So the work gets a thread of its own, and
//! the caller wakes up a few times a second. After a first Ctrl-C the work is asked to end; a second one is raised.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// How long a signal may go unseen.
const NAP: Duration = Duration::from_millis(50);

/// What the work tells: it waits for the answer, whether to go on.
type Told<M> = (M, Sender<bool>);

/// The side of the work.
pub struct Teller<M> {
    told: Sender<Told<M>>,
    asked: Arc<AtomicBool>,
}

impl<M> Teller<M> {
    /// Tells something; breaks where somebody asked to end.
    pub fn tell(&self, message: M) -> ControlFlow<()> {
        let (answer, answers) = channel();
        let heard = self.told.send((message, answer)).is_ok() && answers.recv().unwrap_or(false);
        if heard && !self.is_asked() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Whether somebody asked to end.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// Asks to end.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::SeqCst);
    }

    /// The flag of that.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.asked)
    }
}

/// Does some work on so many threads, or on all. What it tells goes to `hear`, with Python at hand; true asks the work to end, and so does
/// an exception, which is raised afterwards. Returns what came of it, and whether Ctrl-C ended it.
pub fn watched<M: Send, T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&Teller<M>) -> T + Send,
    mut hear: impl FnMut(Python<'_>, M) -> PyResult<bool> + Send,
) -> PyResult<(T, bool)> {
    let pool = threads.map(pool).transpose()?;
    let asked = Arc::new(AtomicBool::new(false));
    let (told, messages) = channel();
    let teller = Teller { told, asked: Arc::clone(&asked) };
    let (done, interrupted, raised) = py.detach(move || {
        std::thread::scope(|scope| {
            let worker = scope.spawn(move || match pool {
                Some(pool) => pool.install(|| work(&teller)),
                None => work(&teller),
            });
            let (interrupted, raised) = listen(&messages, &asked, &mut hear);
            (worker.join(), interrupted, raised)
        })
    });
    if let Some(raised) = raised {
        return Err(raised);
    }
    let done = done.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        PyRuntimeError::new_err(format!("a fault in the engine: {}", text.unwrap_or_default()))
    })?;
    Ok((done, interrupted))
}

/// Until the work has nothing more to tell: whether Ctrl-C was pressed, and what was raised.
fn listen<M>(
    messages: &Receiver<Told<M>>,
    asked: &AtomicBool,
    hear: &mut impl FnMut(Python<'_>, M) -> PyResult<bool>,
) -> (bool, Option<PyErr>) {
    let (mut interrupted, mut raised) = (false, None);
    loop {
        let problem = match messages.recv_timeout(NAP) {
            Ok((message, answer)) => {
                let heard = Python::attach(|py| {
                    let ends = if raised.is_none() { hear(py, message)? } else { true };
                    py.check_signals()?;
                    Ok(ends)
                });
                _ = answer.send(matches!(heard, Ok(false)));
                heard.err()
            }
            Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals()).err(),
            Err(RecvTimeoutError::Disconnected) => return (interrupted, raised),
        };
        let Some(problem) = problem else { continue };
        asked.store(true, Ordering::SeqCst);
        let is_first = !std::mem::replace(&mut interrupted, true);
        if Python::attach(|py| problem.is_instance_of::<PyKeyboardInterrupt>(py)) && is_first {
            continue;
        }
        raised.get_or_insert(problem);
    }
}

/// A pool of so many threads.
pub fn pool(threads: usize) -> PyResult<rayon::ThreadPool> {
    if !(1..=1024).contains(&threads) {
        return Err(PyValueError::new_err(format!("n_threads: {threads} is not between 1 and 1024")));
    }
    let built = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    built.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}
