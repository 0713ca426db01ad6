//! Numbers in memory become a model in a file.

use std::sync::Arc;

use maxmargin::data::{Dataset, FeatureMatrix};
use maxmargin::{Examples, Multiclass, Trainer};

fn main() -> maxmargin::Result<()> {
    let rows = [[0.9, 0.1, 0.3], [0.2, 0.8, 0.1], [0.8, 0.3, 0.4], [0.1, 0.9, 0.6]];
    let features = Arc::new(FeatureMatrix::from_dense(&rows));
    let data = Dataset { features, labels: vec![0, 1, 0, 1], ..Dataset::default() };
    let model =
        Trainer::new(Multiclass::default()).c_sum(1.0).gap(1e-6).train(&Examples::from_numbers(data))?;
    println!("gap {}", model.certificate().gap());
    model.save("numbers.model")?;
    println!("{:?}", model.predict_numbers(&[[0.7, 0.2, 0.2]])?.names());
    Ok(())
}
