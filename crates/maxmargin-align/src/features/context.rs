//! The words beside: where (i − 1, j − 1) and (i + 1, j + 1) belong together, so do (i, j), and where i belongs to the
//! word beside j, it does not need j. Short words lean on their neighbours most: which of several articles or prepositions
//! is meant is told by the noun after it.

use super::Sink;
use super::association::Posteriors;

/// From the posteriors of the hidden Markov model; `short` says that both words are.
pub(super) fn add(hmm: &Posteriors, at: (usize, usize), short: bool, to: &mut impl Sink) {
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
    to.add("context.gap", (1.0 - own * own) * before * after);
    let next_but_one =
        |sign: isize| beside(sign, 2 * sign).max(beside(2 * sign, sign)).max(beside(2 * sign, 2 * sign));
    to.add("context.near-before", next_but_one(-1));
    to.add("context.near-after", next_but_one(1));
    if short {
        to.add("context.short-before", before);
        to.add("context.short-after", after);
        to.add("context.short-near-after", after.max(next_but_one(1)));
        to.flag("context.short-alone", before.max(after).max(next_but_one(-1)).max(next_but_one(1)) < 0.1);
    }
}
