//! Labels sentences with a model of the task `chain`: `serve MODEL`, then a sentence a line with words as attributes.
//!
//! A model that was trained on attributes like `w[0]=the` is asked with the same names; those that it does not know are left out.

use maxmargin::Model;

fn main() -> maxmargin::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "chunks.model".to_owned());
    let model = Model::load(path)?;
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let words: Vec<[String; 1]> = line.split_whitespace().map(|word| [format!("w[0]={word}")]).collect();
        let prediction = model.predict_one(&words)?;
        println!("{}", prediction.names().join(" "));
    }
    Ok(())
}
