//! Starting from the weights of another model of the same problem.

use super::Problem;
use crate::error::{Error, Result};
use crate::model::{Block, Model};

/// The weights of a model for a problem. Attributes go by their names: those that the model does not know start at 0.
pub(super) fn weights(model: &Model, problem: &Problem) -> Result<Vec<f64>> {
    let differs =
        |what: &str| Err(Error::parameter("warm start", format!("cannot start from this model: {what}")));
    let (old, new) = (model.task(), problem.task());
    let (old_names, new_names) = (model.names(), problem.examples().names());
    if old.name() != new.name() {
        return differs(&format!("it is for the task {}, not {}", old.name(), new.name()));
    }
    if !old_names.labels.iter().eq(new_names.labels.iter()) {
        return differs("its labels are not those of the training data");
    }
    // Shapes but for the rows of attributes, and options that say what weights are about.
    let shapes = |blocks: Vec<Block>| -> Vec<(&str, Vec<usize>)> {
        let of_block = |(i, block): (usize, Block)| (block.name, block.shape[usize::from(i == 0)..].to_vec());
        blocks.into_iter().enumerate().map(of_block).collect()
    };
    let options = |task: &dyn crate::tasks::FittedObject| {
        let mut fields = task.save().fields;
        // What a mistake costs may differ.
        fields.remove("loss");
        fields.remove("links");
        fields.remove("class_weights");
        fields
    };
    if shapes(old.blocks()) != shapes(new.blocks()) || options(old) != options(new) {
        return differs("it has other weights; give the task the same options as then");
    }
    model.weights_of(new_names)
}
