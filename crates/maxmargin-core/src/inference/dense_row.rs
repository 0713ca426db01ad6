//! Loops over the nodes that one node of a dense graph may be linked to: several nodes side by side and without branches.
//!
//! In a graph that was not seen before nobody can guess which node is the best so far, and a wrong guess costs a processor
//! as much as ten nodes. Rows are cut into chunks of a fixed length, of which compilers make vector instructions for
//! gains that are single numbers; pairs of numbers take the same way one by one.

use std::array::from_fn;

use super::Gain;

/// How many nodes are looked at side by side.
const LANES: usize = 4;

/// The node with the largest profit (gain minus price), this profit, and the second largest. Profits below 0 count as 0; if
/// none is above 0 the node means nothing.
#[inline]
pub(super) fn two_largest_profits<G: Gain>(gains: &[G], prices: &[G]) -> (usize, G, G) {
    let (gains, last_gains) = gains.as_chunks::<LANES>();
    let (prices, last_prices) = prices.as_chunks::<LANES>();
    let (mut best, mut second, mut chunk) = ([G::ZERO; LANES], [G::ZERO; LANES], [0; LANES]);
    let mut at = 0u64;
    for (gains, prices) in gains.iter().zip(prices) {
        let profits: [G; LANES] = from_fn(|lane| gains[lane] - prices[lane]);
        chunk = from_fn(|lane| if best[lane].is_below(profits[lane]) { at } else { chunk[lane] });
        second = from_fn(|lane| second[lane].larger(best[lane].smaller(profits[lane])));
        best = from_fn(|lane| best[lane].larger(profits[lane]));
        at += LANES as u64;
    }
    let (mut node, mut most, mut next) = (0, G::ZERO, G::ZERO);
    let mut look = |here: u64, profit: G| {
        node = if most.is_below(profit) { here } else { node };
        next = next.larger(most.smaller(profit));
        most = most.larger(profit);
    };
    for lane in 0..LANES {
        look(chunk[lane] + lane as u64, best[lane]);
    }
    for ((&gain, &price), here) in last_gains.iter().zip(last_prices).zip(at..) {
        look(here, gain - price);
    }
    (node as usize, most, second.into_iter().fold(next, G::larger))
}

/// Shortens distances by ways of length base + price − gain; returns the least distance.
#[inline]
pub(super) fn shorten<G: Gain>(distances: &mut [G], gains: &[G], prices: &[G], base: G) -> G {
    let (distances, last_distances) = distances.as_chunks_mut::<LANES>();
    let (gains, last_gains) = gains.as_chunks::<LANES>();
    let (prices, last_prices) = prices.as_chunks::<LANES>();
    let mut least = [G::INFINITY; LANES];
    for ((distances, gains), prices) in distances.iter_mut().zip(gains).zip(prices) {
        *distances = from_fn(|lane| distances[lane].smaller(base + prices[lane] - gains[lane]));
        least = from_fn(|lane| least[lane].smaller(distances[lane]));
    }
    let mut of_last = G::INFINITY;
    for ((distance, &gain), &price) in last_distances.iter_mut().zip(last_gains).zip(last_prices) {
        *distance = distance.smaller(base + price - gain);
        of_last = of_last.smaller(*distance);
    }
    least.into_iter().fold(of_last, G::smaller)
}

/// The first node at this distance; of several, the first that is preferred.
#[inline]
pub(super) fn at_distance<G: Gain>(
    distances: &[G],
    distance: G,
    is_preferred: impl Fn(usize) -> bool,
) -> Option<usize> {
    let mut first = None;
    let (chunks, last) = distances.as_chunks::<LANES>();
    for (at, chunk) in chunks.iter().enumerate() {
        if chunk.map(|here| here == distance) == [false; LANES] {
            continue;
        }
        for node in (0..LANES).filter(|&lane| chunk[lane] == distance).map(|lane| at * LANES + lane) {
            if is_preferred(node) {
                return Some(node);
            }
            first = first.or(Some(node));
        }
    }
    for (node, _) in (chunks.len() * LANES..).zip(last).filter(|(_, here)| **here == distance) {
        if is_preferred(node) {
            return Some(node);
        }
        first = first.or(Some(node));
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::Lexicographic;

    /// Whole numbers from −3 to 3, so that there are ties.
    fn numbers(length: usize, factor: usize) -> Vec<f64> {
        (0..length).map(|i| ((i * factor + i * i) % 7) as f64 - 3.0).collect()
    }

    fn pairs(length: usize, factor: usize) -> Vec<Lexicographic> {
        let both = numbers(length, factor).into_iter().zip(numbers(length, factor + 1));
        both.map(|(first, second)| Lexicographic { first, second }).collect()
    }

    fn check<G: Gain>(gains: &[G], prices: &[G], base: G) {
        let profits: Vec<G> = gains.iter().zip(prices).map(|(&gain, &price)| gain - price).collect();
        let mut sorted = profits.clone();
        sorted.extend([G::ZERO; 2]);
        sorted.sort_by(|a, b| b.compare(*a));
        let (node, best, second) = two_largest_profits(gains, prices);
        assert_eq!((best, second), (sorted[0], sorted[1]), "{profits:?}");
        assert!(best == G::ZERO || profits[node] == best, "{node} in {profits:?}");

        let mut distances = prices.to_vec();
        let least = shorten(&mut distances, gains, prices, base);
        let ways =
            prices.iter().zip(&profits).zip(gains).map(|((&old, _), &gain)| old.smaller(base + old - gain));
        assert_eq!(distances, ways.collect::<Vec<_>>());
        assert_eq!(least, distances.iter().copied().fold(G::INFINITY, G::smaller));

        let nearest: Vec<usize> = (0..distances.len()).filter(|&node| distances[node] == least).collect();
        assert_eq!(at_distance(&distances, least, |_| false), nearest.first().copied(), "{distances:?}");
        for &wanted in &nearest {
            assert_eq!(at_distance(&distances, least, |node| node == wanted), Some(wanted), "{distances:?}");
        }
        assert_eq!(at_distance(&distances, G::INFINITY, |_| true), None);
    }

    #[test]
    fn rows_of_any_length() {
        for length in 0..20 {
            for factor in 1..8 {
                check(&numbers(length, factor), &numbers(length, factor + 2), 1.0);
                let base = Lexicographic { first: 0.0, second: 1.0 };
                check(&pairs(length, factor), &pairs(length, factor + 2), base);
            }
        }
    }
}
