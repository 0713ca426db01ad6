//! Promise: whatever a file with label sets or a table holds, reading it ends in data that fits together or in an error
//! that names the file. What preprocessing makes of it holds finite numbers only.

use std::fs;
use std::path::Path;

use maxmargin::data::{
    Dataset, Format, Impute, Missing, Preprocessing, ReadOptions, Vocabulary, read_training, read_with,
};
use proptest::prelude::*;

mod common;

use common::fault::{fault, spoil};

/// A small file without a fault, and how it is read.
#[derive(Debug, Clone, Copy)]
struct Sound {
    format: Format,
    text: &'static str,
    labels: &'static [&'static str],
    label_sets: bool,
}

const SOUND: [Sound; 8] = [
    Sound {
        format: Format::Svmlight,
        text: "# a comment\nb,a 1:0.25 3:1\n 2:1 # none\n1:7\nc cost:2\n",
        labels: &[],
        label_sets: true,
    },
    Sound {
        format: Format::Svmlight,
        text: "4 6 5\n0,3 0:0.25 3:1\n\n2 5:1\n 1:7\n4 \n",
        labels: &[],
        label_sets: true,
    },
    Sound {
        format: Format::Arff,
        text: "% about\n@relation 'x: -C 2'\n@attribute a {0,1}\n@attribute 'b b' {false,true}\n@attribute c numeric\n\
               @attribute \"d\\\"\" {x, 'y z', w}\n@attribute e {0,1}\n\n@data\n1,true,0.5,x,0\n0,false,?,'y z',1, {2}\n",
        labels: &[],
        label_sets: true,
    },
    Sound {
        format: Format::Arff,
        text: "@RELATION x\r\n@ATTRIBUTE a{1,0}\r\n@ATTRIBUTE b INTEGER\r\n@ATTRIBUTE c {u,v}\r\n@DATA\r\n{0 0,1 -2e3}\r\n{}\r\n{2 v}, {0.5} % half\r\n{1 ?}\r\n",
        labels: &["a"],
        label_sets: true,
    },
    Sound {
        format: Format::Arff,
        text: "@relation iris\n@attribute x real\n@attribute class {s,'v'}\n@data\n1 s\n2\t'v'\n",
        labels: &[],
        label_sets: false,
    },
    // Without labels of its own; the names lie beside it.
    Sound {
        format: Format::Arff,
        text: "@relation y\n@attribute beside {0,1}\n@attribute x real\n@data\n1,1\n0,2\n",
        labels: &[],
        label_sets: true,
    },
    Sound {
        format: Format::Csv,
        text: "x,\"y \"\"q\"\"\",l,m\n1,2.5,0,1\n\n\"-3\",NA,1,0\n",
        labels: &["l", "m"],
        label_sets: true,
    },
    Sound {
        format: Format::Csv,
        text: "x;y;class\r\n1;2.5;red\r\n;?;\"dark; green\"\r\n",
        labels: &["class"],
        label_sets: false,
    },
];

const XML: &str =
    "<?xml version=\"1.0\"?>\n<labels>\n<!-- c -->\n<label name=\"beside\"></label>\n</labels>\n";

/// Checks what was read with missing values kept, after filling them in.
fn check(data: &Dataset, vocabulary: &Vocabulary) {
    for (impute, standardise) in [(Impute::Mean, false), (Impute::Zero, true), (Impute::Mean, true)] {
        let preprocessing = Preprocessing::fit(data, impute, standardise).unwrap();
        if let Ok(data) = preprocessing.apply(data) {
            common::check(&data, vocabulary);
        }
    }
}

/// Reads a file in every way; the first one is how it should be read.
fn survives(bytes: &[u8], xml: &[u8], sound: Sound) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("strange-train.arff");
    fs::write(&path, bytes).unwrap();
    fs::write(folder.path().join("strange.xml"), xml).unwrap();
    let named: Vec<String> = sound.labels.iter().map(|&name| name.to_owned()).collect();
    let mut first = None;
    for label_sets in [sound.label_sets, !sound.label_sets] {
        for (format, missing) in [(Some(sound.format), Missing::Keep), (None, Missing::Refuse)] {
            let label_columns = named.clone();
            let options =
                ReadOptions { format, label_sets, label_columns, missing, ..ReadOptions::default() };
            first = first.or(Some(survives_one(&path, &options)));
        }
    }
    first == Some(true)
}

fn survives_one(path: &Path, options: &ReadOptions) -> bool {
    let once = [path.to_owned()];
    let named_error = |error: maxmargin::Error| {
        let message = error.to_string();
        assert!(message.contains("strange"), "no file named: {message}");
    };
    let (model, found) = match read_training(&once, options) {
        Ok((data, vocabulary)) => {
            check(&data, &vocabulary);
            let (again, unseen) = read_with(&once, options, &vocabulary).unwrap();
            assert_eq!((&again.labels, &again.sets), (&data.labels, &data.sets));
            assert_eq!((unseen.labels, unseen.attributes), (0, 0));
            (vocabulary, true)
        }
        Err(error) => {
            named_error(error);
            (common::named(&["b b", "l"], &["c", "x"]), false)
        }
    };
    let twice = [path.to_owned(), path.to_owned()];
    match read_training(&twice, options) {
        Ok((data, vocabulary)) => check(&data, &vocabulary),
        Err(error) => named_error(error),
    }
    for vocabulary in [model, common::numbered(&["b"], 2), common::named(&["s", "m"], &["x", "d\"=w"])] {
        match read_with(&once, options, &vocabulary) {
            Ok((data, _)) => check(&data, &vocabulary),
            Err(error) => named_error(error),
        }
    }
    found
}

fn any_sound() -> impl Strategy<Value = Sound> {
    prop::sample::select(&SOUND[..])
}

#[test]
fn the_sound_files_are_sound() {
    for sound in SOUND {
        assert!(survives(sound.text.as_bytes(), XML.as_bytes(), sound), "{sound:?}");
        assert!(
            survives(&common::gz(sound.text.as_bytes()), &common::gz(XML.as_bytes()), sound),
            "{sound:?}"
        );
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300), sound in any_sound()) {
        survives(&bytes, &bytes, sound);
        survives(&common::gz(&bytes), XML.as_bytes(), sound);
    }

    #[test]
    fn arbitrary_rows(rows in "[\\t\\n ,;:{}?%'\"0-9a-cxyz.e\\\\-]{0,80}", sound in any_sound()) {
        let header = match sound.format {
            Format::Arff => &sound.text[..sound.text.to_lowercase().find("@data").unwrap() + 6],
            _ => sound.text.split_inclusive('\n').next().unwrap(),
        };
        survives(format!("{header}{rows}").as_bytes(), XML.as_bytes(), sound);
    }

    #[test]
    fn arbitrary_headers(lines in prop::collection::vec("(@relation|@attribute|@data|x|'x y'|\\{0,1\\}|numeric|string|-C|%| |,|2){0,8}", 0..6), sound in any_sound()) {
        survives(format!("@relation x\n{}\n@data\n1,0\n", lines.join("\n")).as_bytes(), XML.as_bytes(), sound);
    }

    #[test]
    fn spoiled_files(sound in any_sound(), faults in prop::collection::vec(fault(), 1..4)) {
        let mut bytes = sound.text.as_bytes().to_vec();
        faults.iter().for_each(|fault| spoil(&mut bytes, fault));
        survives(&bytes, XML.as_bytes(), sound);
    }

    #[test]
    fn spoiled_names(faults in prop::collection::vec(fault(), 1..4)) {
        let mut xml = XML.as_bytes().to_vec();
        faults.iter().for_each(|fault| spoil(&mut xml, fault));
        survives(SOUND[5].text.as_bytes(), &xml, SOUND[5]);
    }
}
