//! The words beside: where (i − 1, j − 1) and (i + 1, j + 1) belong together, so do (i, j), and where i belongs to the
//! word beside j, it does not need j.

use super::Sink;
use super::association::Posteriors;

/// From the posteriors of the hidden Markov model.
pub(super) fn add(hmm: &Posteriors, at: (usize, usize), to: &mut impl Sink) {
    let beside = |down, across| hmm.both.beside(at, (down, across));
    let own = hmm.both.at(at.0, at.1);
    let (before, after) = (beside(-1, -1), beside(1, 1));
    to.add("context.before", before);
    to.add("context.after", after);
    to.add("context.both", (before * after).sqrt());
    to.add("context.own-before", (own * before).sqrt());
    to.add("context.own-after", (own * after).sqrt());
    to.add("context.crossing", beside(-1, 1).max(beside(1, -1)));
    to.add("context.left-beside", beside(-1, 0).max(beside(1, 0)));
    to.add("context.right-beside", beside(0, -1).max(beside(0, 1)));
    let own = own * own;
    to.add("context.gap", (1.0 - own) * before * after);
}
