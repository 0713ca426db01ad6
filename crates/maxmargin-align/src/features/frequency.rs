//! How rare the two words are. Translations are about as frequent as each other, and associations of frequent words rest
//! on more evidence.

use super::Sink;

/// From the sentences that have each word, and how much the words are associated.
pub(super) fn add(left: u32, right: u32, associated: f64, to: &mut impl Sink) {
    let scale = |count: u32| f64::from(count + 1).ln();
    to.add("frequency.differ", ((scale(left) - scale(right)).abs() / 10.0).min(1.0));
    to.add("frequency.rarer", (scale(left.min(right)) / 12.0).min(1.0));
    to.add("frequency.more-frequent", (scale(left.max(right)) / 12.0).min(1.0));
    let rare = [left < 5, right < 5];
    to.flag("frequency.both-rare", rare[0] && rare[1]);
    to.flag("frequency.one-rare", rare[0] != rare[1]);
    to.add("frequency.associated-rarer", (associated * scale(left.min(right)) / 12.0).min(1.0));
    to.add("frequency.associated-differ", associated * ((scale(left) - scale(right)).abs() / 10.0).min(1.0));
}
