//! Numbers in memory become a model in a file.

use maxmargin::data::FeatureMatrix;
use maxmargin::tasks::RowExamples;
use maxmargin::{Examples, Multiclass, Trainer};

fn main() -> maxmargin::Result<()> {
    let rows = [[0.9, 0.1, 0.3], [0.2, 0.8, 0.1], [0.8, 0.3, 0.4], [0.1, 0.9, 0.6]];
    let examples = RowExamples::new(FeatureMatrix::from_dense(&rows), vec![0, 1, 0, 1])?;
    let examples = Examples::from_numbers(examples)?;
    let model = Trainer::new(Multiclass::default()).c_sum(1.0).gap(1e-6).train(&examples)?;
    println!("gap {}", model.certificate().gap());
    model.save("numbers.model")?;
    println!("{:?}", model.predict_numbers(&[[0.7, 0.2, 0.2]])?.names());
    Ok(())
}
