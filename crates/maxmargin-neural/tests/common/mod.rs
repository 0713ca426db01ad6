//! Small problems, and networks for them.

use maxmargin::data::{Alphabet, Attributes, ExampleRows, FeatureMatrix, TaskData, Vocabulary};
use maxmargin::metrics::Metrics;
use maxmargin::structure::TreeKind;
use maxmargin::surrogate::Surrogate;
use maxmargin::tasks::parsing::grammar::sentences;
use maxmargin::tasks::{Chain, FittedObject, Parsing, SequenceExamples, TreeExamples};
use maxmargin::training::HeldOut;
use maxmargin::{Examples, Model, Result};
use maxmargin_neural::{
    ArcSizes, Dropout, EncoderSizes, Lexicon, Observer, ParserDescription, ParserNetwork, Phase, TagColumn,
    TaggerDescription, TaggerNetwork, TaggerSizes, TrainingOptions, train_model,
};

/// Trees that may cross, since the grammar has such.
pub fn parsing() -> Parsing {
    Parsing { trees: TreeKind::Any, hash_bits: 8, ..Parsing::default() }
}

/// Sentences of the small grammar.
pub fn treebank(count: usize, seed: u64) -> Result<Examples> {
    let sentences = sentences(count, seed)?;
    Ok(Examples::new(sentences.data, sentences.names))
}

/// A small parser for some sentences.
pub fn parser(data: &TreeExamples, units: usize, dropout: Dropout) -> Result<ParserDescription> {
    let texts: Vec<_> = (0..data.len()).filter_map(|i| data.text(i)).collect();
    let encoder = EncoderSizes { word: units, tag: 3, letter: 4, spelling: 3, units, layers: 2, given: 0 };
    let lexicon = Lexicon::of(&texts, &[TagColumn::Upos], 2);
    Ok(ParserDescription {
        lexicon,
        encoder,
        arcs: ArcSizes { arc: units, relation: 5 },
        dropout,
        given: None,
    })
}

/// Chains whose labels are the symbols at hand, the other way round where the chain begins with a third one: no weights of symbols and neighbours can say
/// that.
pub fn turned(count: usize, seed: usize) -> Result<Examples> {
    let (mut rows, mut labels, mut starts) = (Vec::new(), Vec::new(), vec![0]);
    let mut state = seed as u64 * 2_654_435_761 + 12_345;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..count {
        let is_turned = draw(2) == 1;
        for t in 0..4 + draw(4) {
            let symbol = draw(2);
            let first = f64::from(u8::from(t == 0 && is_turned));
            rows.push([1.0 - symbol as f64, symbol as f64, first]);
            labels.push(if is_turned { 1 - symbol } else { symbol } as u32);
        }
        starts.push(rows.len());
    }
    let data = ExampleRows::grouped(FeatureMatrix::from_dense(&rows), starts)?;
    let labels_of = ["a", "b"].into_iter().collect::<Alphabet>();
    let names = Vocabulary { labels: labels_of, attributes: Attributes::Numbered(3) };
    Ok(Examples::new(SequenceExamples::new(data, labels)?, names))
}

/// A small tagger.
pub fn tagger(data: &SequenceExamples, units: usize, dropout: Dropout) -> Result<TaggerDescription> {
    let sizes = TaggerSizes { attribute: units, units, layers: 1, hidden: units };
    Ok(TaggerDescription::of(data, &Chain::default(), sizes, dropout, 1))
}

/// Nothing is left out.
pub const NO_DROPOUT: Dropout = Dropout { inputs: 0.0, layers: 0.0, steps: 0.0, scores: 0.0, names: 0.0 };

/// Some epochs of margin rescaling.
pub fn epochs(epochs: usize, batch: usize) -> TrainingOptions {
    let phase = Phase { surrogate: Surrogate::MARGIN, strategy: None, epochs, rate: 0.01 };
    TrainingOptions { phases: vec![phase], batch, ..TrainingOptions::default() }
}

/// A parser that has learnt these sentences.
pub fn trained_parser(
    examples: &Examples,
    held_out: Option<&HeldOut>,
    options: &TrainingOptions,
    observer: &mut dyn Observer,
) -> Result<Model> {
    let light = Dropout { inputs: 0.1, layers: 0.1, steps: 0.1, scores: 0.1, names: 0.1 };
    let describe = |data: &TreeExamples| parser(data, 12, light);
    train_model::<ParserNetwork>(parsing(), describe, examples, held_out, options, observer)
}

/// A tagger that has learnt these chains.
pub fn trained_tagger(examples: &Examples, options: &TrainingOptions) -> Result<Model> {
    let describe = |data: &SequenceExamples| tagger(data, 12, NO_DROPOUT);
    train_model::<TaggerNetwork>(Chain::default(), describe, examples, None, options, &mut ())
}

/// How good a model is on examples with the same names.
pub fn metrics(model: &Model, examples: &Examples) -> Result<Metrics> {
    let task: &dyn FittedObject = model.task();
    Ok(task.evaluate(model.deciding_weights(), examples.data(), &examples.names().labels, None)?.0)
}
