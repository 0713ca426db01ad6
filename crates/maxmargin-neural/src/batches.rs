//! Which examples are learnt from together.

use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

/// Examples of about the same length are looked for among so many batches.
const POOL: usize = 40;

/// Batches of about so many rows, in random order: examples of a batch are about as long as one another, so that a recurrence has few steps.
pub fn batches(rows: &[usize], target: usize, random: &mut Pcg64Mcg) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.shuffle(random);
    let mut batches = Vec::new();
    let mut pool = Vec::new();
    let mut size = 0;
    for (place, &i) in order.iter().enumerate() {
        pool.push(i);
        size += rows[i];
        if size >= POOL * target || place + 1 == order.len() {
            pool.sort_by_key(|&i| rows[i]);
            let (mut batch, mut rows_of_batch) = (Vec::new(), 0);
            for &i in &pool {
                if rows_of_batch + rows[i] > target && !batch.is_empty() {
                    batches.push(std::mem::take(&mut batch));
                    rows_of_batch = 0;
                }
                batch.push(i);
                rows_of_batch += rows[i];
            }
            batches.extend((!batch.is_empty()).then_some(batch));
            pool.clear();
            size = 0;
        }
    }
    batches.shuffle(random);
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn each_example_is_in_one_batch() {
        let rows: Vec<usize> = (0..1000).map(|i| 1 + i * 7 % 50).collect();
        let all = batches(&rows, 100, &mut Pcg64Mcg::seed_from_u64(1));
        let mut seen: Vec<usize> = all.concat();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..1000));
        assert!(all.iter().all(|batch| batch.iter().map(|&i| rows[i]).sum::<usize>() <= 100));
        assert_eq!(batches(&rows, 1, &mut Pcg64Mcg::seed_from_u64(1)).len(), 1000);
        assert!(batches(&[], 100, &mut Pcg64Mcg::seed_from_u64(1)).is_empty());
    }
}
