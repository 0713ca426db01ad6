//! The library in a few lines: from data to predictions. The README and the crate's documentation show the same.

use maxmargin::tasks::chain::word_images::{Noise, word_images};
use maxmargin::{Chain, Examples, Model, Trainer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Images of words; `Examples::read` gives the same from files.
    let words = word_images(100, Noise::default(), 1);
    let train = Examples::new(words.data, words.vocabulary);
    let model = Trainer::new(Chain::default()).lambda(0.1).gap(1e-3).train(&train)?;
    let proof = model.certificate();
    println!("F(w) = {:.4}, at least {:.4} for any w", proof.primal, proof.lower_bound);

    let path = std::env::temp_dir().join("words.model");
    model.save(&path)?;
    let test = word_images(1, Noise::default(), 2);
    let best = &Model::load(&path)?.predict(&test.data, 1)?[0][0];
    println!("read {:?}, it was {:?}", best.names().concat(), test.words[0]);
    Ok(())
}
