//! Threads that share many small batches.
//!
//! A batch of visits takes a tenth of a millisecond, which is about what it takes to wake a thread. So while batches come
//! one after the other, helpers do not sleep between them: they watch a counter. Whoever is free takes the next visits
//! of the batch; the leader works too, and alone if no helper ever comes. A panic in the work of any of them ends the
//! waiting of all.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Looks at the counter without work after which a helper lets other threads go first.
const PATIENCE: usize = 4000;

/// The work that is left of the present batch.
#[derive(Debug, Default)]
pub(super) struct Team {
    /// Visits that nobody has taken yet.
    left: AtomicUsize,
    /// Visits that are done.
    done: AtomicUsize,
    /// How many visits are taken at a time.
    grain: AtomicUsize,
    closed: AtomicBool,
    /// Whether the work of someone has panicked.
    failed: AtomicBool,
}

impl Team {
    /// The leader's part of a batch: opens it, works, and waits until all of it is done.
    pub(super) fn lead(&self, visits: usize, grain: usize, mut work: impl FnMut(usize)) {
        self.done.store(0, Ordering::Relaxed);
        self.grain.store(grain, Ordering::Relaxed);
        self.left.store(visits, Ordering::Release);
        while self.take(&mut work) {}
        let mut idle = 0;
        while self.done.load(Ordering::Acquire) < visits && !self.failed.load(Ordering::Acquire) {
            wait(&mut idle);
        }
    }

    /// Whether the work of someone has panicked: the batch is not done, and no other will be.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// A helper's part of all batches until the team is closed.
    pub(super) fn help(&self, mut work: impl FnMut(usize)) {
        let mut idle = 0;
        while !self.closed.load(Ordering::Acquire) {
            if self.take(&mut work) {
                idle = 0;
            } else {
                wait(&mut idle);
            }
        }
    }

    /// Something that sends the helpers home when it goes out of scope, by a panic too.
    pub(super) fn closing(&self) -> impl Drop + '_ {
        struct Closing<'a>(&'a AtomicBool);
        impl Drop for Closing<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Release);
            }
        }
        Closing(&self.closed)
    }

    /// Does some visits that nobody has taken; says whether there were any.
    fn take(&self, work: &mut impl FnMut(usize)) -> bool {
        let mut left = self.left.load(Ordering::Acquire);
        while left > 0 {
            let rest = left.saturating_sub(self.grain.load(Ordering::Relaxed));
            match self.left.compare_exchange_weak(left, rest, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => {
                    let alarm = Alarm(self);
                    (rest..left).for_each(work);
                    std::mem::forget(alarm);
                    self.done.fetch_add(left - rest, Ordering::Release);
                    return true;
                }
                Err(now) => left = now,
            }
        }
        false
    }
}

/// Goes off when work panics.
struct Alarm<'a>(&'a Team);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        self.0.failed.store(true, Ordering::Release);
        self.0.closed.store(true, Ordering::Release);
    }
}

fn wait(idle: &mut usize) {
    if *idle < PATIENCE {
        *idle += 1;
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn every_visit_of_every_batch_is_done_once() {
        for helpers in [0, 1, 3] {
            let team = Team::default();
            let counts: Vec<Mutex<usize>> = (0..50).map(|_| Mutex::new(0)).collect();
            let count = |k: usize| *counts[k].lock().unwrap() += 1;
            std::thread::scope(|scope| {
                for _ in 0..helpers {
                    scope.spawn(|| team.help(count));
                }
                for batch in 0..1000 {
                    let size = batch % 51;
                    team.lead(size, 1 + batch % 5, count);
                    for (k, count) in counts.iter().enumerate() {
                        assert_eq!(std::mem::take(&mut *count.lock().unwrap()), usize::from(k < size));
                    }
                }
                drop(team.closing());
            });
        }
    }

    #[test]
    fn a_panic_ends_the_waiting_of_all() {
        for helpers in [0, 1, 3] {
            let result = std::panic::catch_unwind(|| {
                let team = Team::default();
                let work = |k: usize| assert_ne!(k, 7, "this panic is part of the test");
                std::thread::scope(|scope| {
                    let _closing = team.closing();
                    for _ in 0..helpers {
                        scope.spawn(|| team.help(work));
                    }
                    team.lead(20, 1, work);
                    assert!(team.has_failed(), "a helper panicked");
                    panic!("as the leader does when a helper has");
                });
            });
            assert!(result.is_err());
        }
    }
}
