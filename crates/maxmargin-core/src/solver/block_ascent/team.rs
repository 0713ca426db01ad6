//! Threads that share many small batches.
//!
//! A batch of visits takes a tenth of a millisecond, which is about what it takes to wake a thread. So while batches come
//! one after the other, helpers do not sleep between them: for a moment they watch a counter. Whoever is free takes the
//! next visits of the batch; the leader works too, and alone if no helper ever comes. A panic in the work of any of them ends
//! the waiting of all.
//!
//! The threads are those of the caller's pool, who may have other work for them. So a helper that has watched in vain for a
//! while goes back to the pool, and is called again when there is more to do; it is never waited for, unless it has taken
//! visits and is at work on them. The leader waits for those asleep.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Looks at the counter without work after which a helper goes and the leader falls asleep: the time of a batch or two.
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
    /// Helpers that were called and have not gone.
    called: AtomicUsize,
    closed: AtomicBool,
    /// Whether the work of someone has panicked.
    failed: AtomicBool,
    /// Whether the leader sleeps, or is about to.
    asleep: AtomicBool,
    bed: Mutex<()>,
    alarm: Condvar,
}

impl Team {
    /// Calls helpers until there are `most`, where a batch has something for them. Each [helps](Team::help), sooner or later,
    /// and then [goes](Team::go).
    pub(super) fn call(&self, most: usize, visits: usize, grain: usize, mut call: impl FnMut()) {
        let wanted = most.min(visits.saturating_sub(1) / grain);
        while self.called.load(Ordering::Relaxed) < wanted {
            self.called.fetch_add(1, Ordering::Relaxed);
            call();
        }
    }

    /// The leader's part of a batch: opens it, works, and waits until all of it is done.
    pub(super) fn lead(&self, visits: usize, grain: usize, mut work: impl FnMut(usize)) {
        self.done.store(0, Ordering::Relaxed);
        self.grain.store(grain, Ordering::Relaxed);
        self.left.store(visits, Ordering::Release);
        while self.take(&mut work) {}
        let is_over = || self.done.load(Ordering::SeqCst) >= visits || self.failed.load(Ordering::SeqCst);
        for _ in 0..PATIENCE {
            if is_over() {
                return;
            }
            std::hint::spin_loop();
        }
        let mut bed = self.bed.lock().unwrap_or_else(PoisonError::into_inner);
        // Either the last helper sees this, or the leader sees that it was the last one.
        self.asleep.store(true, Ordering::SeqCst);
        while !is_over() {
            bed = self.alarm.wait(bed).unwrap_or_else(PoisonError::into_inner);
        }
        self.asleep.store(false, Ordering::Relaxed);
    }

    /// Whether the work of someone has panicked: the batch is not done, and no other will be.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// A helper's part of batches until the team is closed, or until there has been nothing to do for a while.
    pub(super) fn help(&self, mut work: impl FnMut(usize)) {
        let mut idle = 0;
        while idle < PATIENCE && !self.closed.load(Ordering::Acquire) {
            if self.take(&mut work) {
                idle = 0;
            } else {
                idle += 1;
                std::hint::spin_loop();
            }
        }
    }

    /// A helper goes, and has given back what another one needs.
    pub(super) fn go(&self) {
        self.called.fetch_sub(1, Ordering::Relaxed);
    }

    /// Wakes the leader, if it sleeps.
    fn wake_leader(&self) {
        if self.asleep.load(Ordering::SeqCst) {
            drop(self.bed.lock());
            self.alarm.notify_one();
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
                    let failure = Failure(self);
                    (rest..left).for_each(work);
                    std::mem::forget(failure);
                    self.done.fetch_add(left - rest, Ordering::SeqCst);
                    self.wake_leader();
                    return true;
                }
                Err(now) => left = now,
            }
        }
        false
    }
}

/// What is said when work panics.
struct Failure<'a>(&'a Team);

impl Drop for Failure<'_> {
    fn drop(&mut self) {
        self.0.closed.store(true, Ordering::Release);
        self.0.failed.store(true, Ordering::SeqCst);
        self.0.wake_leader();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_visit_of_every_batch_is_done_once() {
        for helpers in [0, 1, 3] {
            let team = Team::default();
            let counts: Vec<Mutex<usize>> = (0..50).map(|_| Mutex::new(0)).collect();
            let count = |k: usize| *counts[k].lock().unwrap() += 1;
            let help = || {
                team.help(count);
                team.go();
            };
            std::thread::scope(|scope| {
                let _closing = team.closing();
                for batch in 0..1000 {
                    let (size, grain) = (batch % 51, 1 + batch % 5);
                    team.call(helpers, size, grain, || drop(scope.spawn(help)));
                    team.lead(size, grain, count);
                    for (k, count) in counts.iter().enumerate() {
                        assert_eq!(std::mem::take(&mut *count.lock().unwrap()), usize::from(k < size));
                    }
                }
            });
        }
    }

    #[test]
    fn the_leader_sleeps_until_the_last_helper_is_done() {
        let team = Team::default();
        let done = AtomicUsize::new(0);
        let leader = std::thread::current().id();
        let work = |_: usize| {
            // Long enough for the leader to lose its patience.
            if std::thread::current().id() != leader {
                std::thread::sleep(Duration::from_millis(5));
            }
            done.fetch_add(1, Ordering::Relaxed);
        };
        std::thread::scope(|scope| {
            let _closing = team.closing();
            for batch in 1..=20 {
                scope.spawn(|| team.help(work));
                team.lead(8, 4, work);
                assert_eq!(done.load(Ordering::Relaxed), 8 * batch);
            }
        });
    }

    #[test]
    fn an_idle_helper_gives_its_thread_back_to_the_pool() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let team = &Team::default();
        let other_work_ran = pool.scope(|scope| {
            let _closing = team.closing();
            let (is_there, helper) = mpsc::sync_channel(1);
            scope.spawn(move |_| {
                is_there.send(()).unwrap();
                team.help(|_| ());
            });
            // The helper has the other thread of the pool, and finds nothing to do.
            helper.recv().unwrap();
            let (has_run, other_work) = mpsc::sync_channel(1);
            scope.spawn(move |_| has_run.send(()).unwrap());
            // The limit is there for a failure only, which would never end.
            other_work.recv_timeout(Duration::from_secs(60)).is_ok()
        });
        assert!(other_work_ran, "a helper without work held a thread of the pool");
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
