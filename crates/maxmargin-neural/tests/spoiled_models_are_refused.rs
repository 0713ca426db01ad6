//! Models with networks come back from their files, and whatever else is in a file is an error.

use std::path::Path;

use maxmargin::{Model, Result};
use maxmargin_neural::{ParserNetwork, TaggerNetwork, model_file};

use crate::common::{epochs, trained_parser, trained_tagger, treebank, turned};

fn load(bytes: Vec<u8>) -> Result<Model> {
    model_file::from_bytes(Path::new("a.model"), bytes)
}

/// The content with another header, of the same length or not.
fn with_header(bytes: &[u8], change: impl Fn(&str) -> String) -> Vec<u8> {
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap_or_default()) as usize;
    let header = change(&String::from_utf8_lossy(&bytes[8..8 + length]));
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &bytes[8 + length..]].concat()
}

#[test]
fn models_come_back() -> Result<()> {
    model_file::register();
    let folder = tempfile::tempdir().map_err(|e| maxmargin::Error::parameter("folder", e.to_string()))?;
    let path = folder.path().join("a.model");
    let (trees, chains) = (treebank(20, 1)?, turned(20, 1)?);
    let parser = trained_parser(&trees, None, &epochs(1, 60), &mut ())?;
    let tagger = trained_tagger(&chains, &epochs(1, 60))?;
    model_file::save::<ParserNetwork>(&parser, &path)?;
    assert_eq!(Model::load(&path)?.predict(trees.data(), 2)?, parser.predict(trees.data(), 2)?);
    assert_eq!(Model::load(&path)?.description(), parser.description());
    assert_eq!(model_file::load_as::<ParserNetwork>(&path)?.description(), parser.description());
    assert!(model_file::load_as::<TaggerNetwork>(&path).is_err());
    model_file::save::<TaggerNetwork>(&tagger, &path)?;
    assert_eq!(Model::load(&path)?.predict(chains.data(), 2)?, tagger.predict(chains.data(), 2)?);
    // A file of weights would not be this model.
    assert!(tagger.save(&path).is_err() && model_file::save::<ParserNetwork>(&tagger, &path).is_err());
    Ok(())
}

#[test]
fn what_is_no_model_is_an_error() -> Result<()> {
    let trees = treebank(10, 1)?;
    let bytes =
        model_file::to_bytes::<ParserNetwork>(&trained_parser(&trees, None, &epochs(1, 60), &mut ())?)?;
    let expected = load(bytes.clone())?.predict(trees.data(), 1)?;
    for length in (0..bytes.len()).step_by(bytes.len() / 97) {
        assert!(load(bytes[..length].to_vec()).is_err(), "{length} bytes");
    }
    // One byte is another one. Some are numbers of the network, and as good as others.
    for place in (0..bytes.len()).step_by(bytes.len() / 499) {
        let mut spoiled = bytes.clone();
        spoiled[place] ^= 0x5a;
        if let Ok(model) = load(spoiled) {
            _ = model.predict(trees.data(), 1);
        }
    }
    let replaced = |from: &'static str, to: &'static str| {
        move |header: &str| {
            assert!(header.contains(from), "{from} is not in {}", &header[header.len() - 600..]);
            header.replace(from, to)
        }
    };
    for (from, to, problem) in [
        ("\\\"units\\\":12", "\\\"units\\\":13", "expected"),
        ("\\\"units\\\":12", "\\\"units\\\":1000000000", "65536"),
        ("\\\"units\\\":12", "\\\"units\\\":4611686018427387904", ""),
        ("\\\"units\\\":12", "\\\"units\\\":0", "from 1"),
        ("\\\"layers\\\":2", "\\\"layers\\\":3", "missing"),
        ("\\\"layers\\\":2", "\\\"layers\\\":1", "belongs to nothing"),
        ("\\\"letter\\\":4", "\\\"letter\\\":-4", "cannot be read"),
        ("\\\"given\\\":0", "\\\"given\\\":7", "missing"),
        ("\\\"relation\\\":5", "\\\"relation\\\":18446744073709551615", ""),
        ("\\\"task\\\":\\\"parsing\\\"", "\\\"task\\\":\\\"chain\\\"", "the model is of parsing"),
        ("\\\"task\\\":\\\"parsing\\\"", "\\\"task\\\":\\\"chess\\\"", "no network for the task"),
        ("\\\"format_version\\\":1", "\\\"format_version\\\":9", "newer"),
        ("\\\"lexicon\\\"", "\\\"lexikon\\\"", "cannot be read"),
        ("maxmargin-network", "maxmargin-networx", "not the model"),
        ("network.letters", "network.lettres", "missing"),
    ] {
        match load(with_header(&bytes, replaced(from, to))) {
            Ok(_) => panic!("{to} instead of {from} is read"),
            Err(error) => assert!(error.to_string().contains(problem), "{to} instead of {from}: {error}"),
        }
    }
    // Nothing has changed on the way.
    assert_eq!(load(with_header(&bytes, str::to_owned))?.predict(trees.data(), 1)?, expected);
    Ok(())
}
