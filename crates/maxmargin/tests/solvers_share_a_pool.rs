//! Promise: block ascent may be called inside a rayon pool that has other work. It ends when no thread of the pool is ever
//! free to help, and comes to the same weights.

use std::ops::ControlFlow;
use std::sync::mpsc;

use maxmargin::data::{Noise, word_images};
use maxmargin::solver::{Bcfw, BcfwOptions, Limits, Stop, run};
use maxmargin::tasks::{Chain, Fitted};

/// Trains inside of a pool in which `busy` of the threads do something else all the while.
fn train(threads: usize, busy: usize) -> Vec<f64> {
    let words = word_images(60, Noise::default(), 1);
    let task = Fitted::new(Chain::default(), 128, 26).unwrap();
    let risk = task.risk(&words.data).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.scope(|scope| {
        let (is_busy, started) = mpsc::sync_channel(busy);
        let ends: Vec<mpsc::Sender<()>> = (0..busy)
            .map(|_| {
                let (end, ended) = mpsc::channel();
                let is_busy = is_busy.clone();
                scope.spawn(move |_| {
                    is_busy.send(()).unwrap();
                    // Until the sender is dropped.
                    ended.recv().unwrap_err();
                });
                end
            })
            .collect();
        (0..busy).for_each(|_| started.recv().unwrap());
        let mut solver = Bcfw::new(0.1, risk.as_ref(), BcfwOptions::default()).unwrap();
        let limits = Limits { gap: 1e-3, max_passes: 100, time_limit: None };
        let outcome = run(&mut solver, risk.as_ref(), limits, |_| ControlFlow::Continue(())).unwrap();
        drop(ends);
        assert_eq!(outcome.stop, Stop::GapReached);
        outcome.weights
    })
}

#[test]
fn the_weights_are_the_same_with_and_without_free_threads() {
    let alone = train(1, 0);
    for (threads, busy) in [(2, 0), (2, 1), (4, 1), (4, 3)] {
        assert_eq!(train(threads, busy), alone, "{busy} of {threads} threads were busy");
    }
}
