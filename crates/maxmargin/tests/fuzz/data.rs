//! Data files of all formats, and the small files about labels that go with them.

use std::fs;
use std::path::Path;

use maxmargin::Result;
use maxmargin::data::templates::{Gazetteer, TemplateSyntax};
use maxmargin::data::{
    Alphabet, Column, ColumnOptions, DataObject, Dataset, Format, Impute, Missing, NodeGraph, Preprocessing,
    ReadOptions, TableColumns, UNKNOWN_LABEL, Vocabulary, read_hierarchy, read_label_costs,
    read_label_weights, read_node_names, read_pairs, read_training, read_with,
};
use maxmargin::inference::{Hierarchy, Roots};
use maxmargin::structure::{DependencyTree, Structure};
use maxmargin::tasks::{HierarchyExamples, Landmarks, Parsing, Task, TaskObject};

use super::{Read, Shape, Sound, Target, sound};
use crate::common;

// The bits of a way to read.
const DETECTED: u64 = 1;
const ZERO_BASED: u64 = 1 << 1;
/// Two bits: train, train on the file twice, read with numbered attributes, read with named ones.
const MODE: u32 = 2;
const SETS: u64 = 1 << 4;
/// Two bits: which columns are labels.
const COLUMNS: u32 = 5;
const KEEP_MISSING: u64 = 1 << 7;
/// Two bits: what other columns are for.
const OTHERS: u32 = 8;

const LABEL_COLUMNS: [&[&str]; 4] = [&[], &["a"], &["l", "m"], &["class"]];

pub fn targets() -> Vec<Target> {
    let formats = [
        (
            Format::Svmlight,
            vec![
                sound(
                    "# a comment\nNOUN qid:1 cost:0.5 1:0.25 3:1\nVERB qid:1 2:-1e-3 3:7 # tail\nNOUN qid:2 9:1\n\nNOUN qid:3 1:0\n",
                    0,
                ),
                sound("+1 1:0.5 7:1e-3\n-1 2:1\n1\n", 0),
                sound("# a comment\nb,a 1:0.25 3:1\n 2:1 # none\n1:7\nc cost:2\n", SETS),
                sound("4 6 5\n0,3 0:0.25 3:1\n\n2 5:1\n 1:7\n4 \n", SETS),
            ],
        ),
        (
            Format::Crfsuite,
            vec![sound(
                "@weight:0.5\nB\tw=a\tw=\\:\tlen:0.5\nI\tw=b\tw=b\n\n\nO\tw=c:2\r\nB\n\n@weight\t2\nO\tw=\\\\\tü:1e2\t\n",
                0,
            )],
        ),
        (
            Format::Conll,
            vec![
                sound(
                    "-DOCSTART- -X- O\n\n# a comment\nThe DT B-NP\ncat NN I-NP\n\n\n12:30 CD I-NP\r\n# # O\n",
                    0,
                ),
                sound("New York\tNNP\tB-LOC\nÜber\tIN\tO\t\n\nNew\tNNP\tI-LOC\n", 1 << COLUMNS),
                sound("a 1 O\nb-B 2.5e3 B-x\n\nA 7 I-x\n", 2 << COLUMNS),
                sound("N cat x\nV sits x\n", 3 << COLUMNS),
            ],
        ),
        (
            Format::Letters,
            vec![sound(
                "1\to\t2\t1\t1\t0\t0\t1\t1\t0\n2\tn\t-1\t1\t2\t0\t1\t1\t0\t0\t\n3\ta\t-1\t2\t1\t7\t0\t0\t0\t1\n",
                0,
            )],
        ),
        (
            Format::Idx,
            vec![Sound {
                bytes: common::idx(2051, &[3, 2, 2], &[0, 0, 255, 0, 0, 7, 0, 0, 1, 2, 3, 4]),
                way: 0,
            }],
        ),
        (
            Format::Edges,
            vec![sound(
                "# a comment\n0 0 sure w=a len:0.5\n0 1 P w=\\: len:1e2\n1 0 -\n\n@example weight=2 unreachable=1\n3 0 none w=a w=a:2\r\n",
                0,
            )],
        ),
        (
            Format::Arff,
            vec![
                sound(
                    "% about\n@relation 'x: -C 2'\n@attribute a {0,1}\n@attribute 'b b' {false,true}\n@attribute c numeric\n\
                     @attribute \"d\\\"\" {x, 'y z', w}\n@attribute e {0,1}\n\n@data\n1,true,0.5,x,0\n0,false,?,'y z',1, {2}\n",
                    SETS | KEEP_MISSING,
                ),
                sound(
                    "@RELATION x\r\n@ATTRIBUTE a{1,0}\r\n@ATTRIBUTE b INTEGER\r\n@ATTRIBUTE c {u,v}\r\n@DATA\r\n{0 0,1 -2e3}\r\n{}\r\n{2 v}, {0.5} % half\r\n{1 ?}\r\n",
                    SETS | KEEP_MISSING | 1 << COLUMNS,
                ),
                sound("@relation iris\n@attribute x real\n@attribute class {s,'v'}\n@data\n1 s\n2\t'v'\n", 0),
            ],
        ),
        (
            Format::Csv,
            vec![
                sound(
                    "x,\"y \"\"q\"\"\",l,m\n1,2.5,0,1\n\n\"-3\",NA,1,0\n",
                    SETS | KEEP_MISSING | 2 << COLUMNS,
                ),
                sound("x;y;class\r\n1;2.5;red\r\n;?;\"dark; green\"\r\n", KEEP_MISSING | 3 << COLUMNS),
                sound("x;y;class\nred;2 z;u\n\"a;b\";NA;v\n;x y;u\n", KEEP_MISSING | 3 << COLUMNS),
                sound(
                    "x,y,i,w,class\nred,2,n 1,0.5,u\nblue,3,,2e1,v\n",
                    KEEP_MISSING | 3 << COLUMNS | 1 << OTHERS,
                ),
                sound(
                    "x,y,i,l,m\nred,y089,7,0,1\nblue,x=1,?,1,0\nred,7,7,1,1\n",
                    SETS | 2 << COLUMNS | 2 << OTHERS,
                ),
                sound("x,y,class\nred,089,u\nblue,x=1,v\n", KEEP_MISSING | 3 << COLUMNS | 3 << OTHERS),
                // To a model that does not know the last column.
                sound(
                    "w=a,w=:,c,x,\"d\"\"=w\",r\n1,2,3,4,5,\"a\r\n\"\"b\"\",\n\" \n1,2,3,4,5, \"\"\n1,2,3,4,5,\n",
                    3 << MODE | SETS,
                ),
            ],
        ),
    ];
    let formats = formats.into_iter().map(|(format, sound)| Target {
        name: format.name(),
        sound,
        shape: Shape::Plain,
        read: Box::new(move |path, way| read_data(path, way, format)),
    });
    let labels = || -> Alphabet { ["cat", "dog", "cow"].into_iter().collect() };
    let label_file =
        |name, text, read: Read| Target { name, sound: vec![sound(text, 0)], shape: Shape::Plain, read };
    let names = [
        "<?xml version=\"1.0\"?>\n<labels>\n<!-- c -->\n<label name=\"beside\"></label>\n</labels>\n",
        "<!DOCTYPE labels [<!ELEMENT labels (label*)>]>\n<labels><m:label name='b&#101;s&#x69;de'/><![CDATA[<x>]]></labels>\n",
        "beside\n",
    ];
    formats
        .chain([
            Target {
                name: "templates",
                sound: vec![
                    sound("# words\nU00:%x[-2,0]\nU01:%x[-1,0]/%x[0,1]/%x[1,0]/%x[@-1,1]\n\nB\n", 0),
                    sound("U1:%m[0,0,\"^.?\\u*\"]%t[1,1,\"\\d$\"] # x\nu2:%X[0,0]%%\n", 1),
                    sound("Up=%p[0,0,2]%S[1,word,1]\nUl=%l[0,0,-1]%h[0,0]%H[-1,0]\nUn=%n[0,0,2]\nUv=%v[0,size]\nUg=%g[0,0,\"l\"]%G[0,0,\"l\",word]", 2),
                ],
                shape: Shape::Plain,
                read: Box::new(read_templates),
            },
            Target {
                name: "gazetteer",
                sound: vec![sound("New York\nYork \r\n\nthe  Bank of\tEngland\n", 0)],
                shape: Shape::Plain,
                read: Box::new(|path, _| {
                    let list = Gazetteer::read("list", path)?;
                    assert!(list.phrases.iter().all(|phrase| !phrase.is_empty() && !phrase.contains('\n')));
                    Ok(())
                }),
            },
            Target {
                name: "conllu",
                sound: vec![
                    sound(
                        "# text = don't go\n1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n1\tdo\tdo\tAUX\tVB\t_\t3\taux\t_\t_\n2\tn't\tnot\tPART\t_\tA=B\t3\tadvmod\t_\tX\n3\tgo\tgo\tVERB\t_\t_\t0\troot\t_\t_\r\n3.1\tx\t_\t_\t_\t_\t_\t_\t3:y\t_\n\n1\tÜ\t_\tX\t_\t_\t0\troot\t_\t_\n",
                        0,
                    ),
                    sound("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\t_\t_\t_\t_\t_\n\n", 1),
                    sound("1\ta\t_\t_\t_\t_\t0\tx\t_\t_\n2\tb\t_\t_\t_\t_\t0\ty\t_\t_\n", 2),
                ],
                shape: Shape::Plain,
                read: Box::new(read_trees),
            },
            Target {
                name: "landmarks",
                sound: vec![
                    sound(
                        "file,left,top,width,height,eye_x,eye_y,mouth_x,mouth_y\ninput.pgm,1,0,4,4,1.5,2,2,3.5\r\n\n\"input.pgm\",-1,1,6,6,0,0,7,5\n",
                        0,
                    ),
                    sound("mouth_y;mouth_x;file;nose_x;nose_y\n1;2;input.pgm;;\n;;input.pgm;1;1e0\n", 1),
                    sound("version: 1\nn_points: 2\n{\n2.5 3\n6 5\n}\n", 2),
                    sound("P5 8 6 255\n012345670123456701234567012345670123456701234567", 1),
                    Sound { bytes: tiny_jpeg(), way: 1 },
                ],
                shape: Shape::Plain,
                read: Box::new(read_faces),
            },
            Target {
                name: "label-names",
                sound: names.map(|text| sound(text, 0)).into(),
                shape: Shape::Plain,
                read: Box::new(read_names),
            },
            Target {
                name: "hierarchy",
                sound: vec![
                    sound("# animals\nroot animal\nanimal cat\n\nanimal \"house dog\"\r\nroot plant\n", 0),
                    sound("r a\nr b\na c\nb c\nc d\n", 1),
                    sound("animal/cat\nanimal/dog/poodle\nplant\n", 0),
                    sound("-1\n0\n0\n2\n-1\n", 0),
                ],
                shape: Shape::Plain,
                read: Box::new(read_nodes),
            },
            Target {
                name: "node-names",
                sound: vec![sound("# names\n0 cat\n1 dog\n\"2 x\" cow\n", 0)],
                shape: Shape::Plain,
                read: Box::new(|path, _| {
                    let edges = [("r", "cat"), ("r", "dog"), ("dog", "cow")];
                    let graph = NodeGraph::from_edges(edges, maxmargin::data::Shape::Tree)?;
                    let names = read_node_names(path, &graph)?;
                    assert!(names.len() <= 3 && names.iter().all(|(_, node)| graph.names().get(node).is_some()));
                    Ok(())
                }),
            },
            Target {
                name: "hierarchical",
                sound: vec![
                    sound(
                        "@relation x\n@attribute a numeric\n@attribute class hierarchical 1,1/2,1/2/3,4\n@data\n1,1/2@4\n2,1/2/3\n?,4\n",
                        0,
                    ),
                    sound(
                        "@RELATION x\n@ATTRIBUTE a numeric\n@ATTRIBUTE class hierarchical root/b,root/c,b/d,c/d\n@DATA\n1,d\n2,b@c\n",
                        0,
                    ),
                    sound("a/b,c 1:0.5\na 2:1\na/b/d,c/e cost:2 1:1\n", 0),
                    sound("x,class\n1,a/b@c\n2,\"a/b\"\n3,c\n", 1),
                    sound("cat 1:1\ndog,cat 2:1\n", 2),
                ],
                shape: Shape::Plain,
                read: Box::new(read_hierarchical),
            },
            label_file(
                "costs",
                "# truth predicted cost\ncat dog 3\n\ndog cow 0.5\n",
                Box::new(move |path, _| {
                    let matrix = maxmargin::data::read_costs(path, &labels())?;
                    assert!(matrix.as_slice().iter().all(|cost| cost.is_finite() && *cost >= 0.0));
                    Ok(())
                }),
            ),
            label_file(
                "pairs",
                "cat dog\n# two\n\ncow cat\n",
                Box::new(move |path, _| {
                    let pairs = read_pairs(path, &labels())?;
                    assert!(pairs.is_sorted() && pairs.iter().all(|&(i, j)| i < j && j < 3));
                    Ok(())
                }),
            ),
            label_file(
                "label-weights",
                "cat 2.5\r\n# one\n\"cow\" 0\n",
                Box::new(move |path, _| {
                    let weights = read_label_weights(path, &labels())?;
                    assert!(weights.len() == 3 && weights.iter().all(|weight| weight.is_finite()));
                    Ok(())
                }),
            ),
            label_file(
                "label-costs",
                "cat 2.5 1\r\n# one\n\"cow\" 0\n",
                Box::new(move |path, _| {
                    let (miss, wrong) = read_label_costs(path, &labels())?;
                    assert!(miss.len() == 3 && miss.iter().chain(&wrong).all(|cost| cost.is_finite()));
                    Ok(())
                }),
            ),
        ])
        .collect()
}

fn read_data(path: &Path, way: u64, format: Format) -> Result<()> {
    if format == Format::Idx {
        let labels = path.with_file_name("input-labels-idx1");
        if !labels.exists() {
            fs::write(labels, common::idx(2049, &[3], &[0, 2, 1])).expect("the folder is ours");
        }
    }
    let chosen = (way >> COLUMNS & 3) as usize;
    let is_text = format == Format::Conll;
    let columns = if is_text { LABEL_COLUMNS[0] } else { LABEL_COLUMNS[chosen] };
    let text = ColumnOptions {
        templates: [None, Some("ner"), Some("pos"), Some("chunk")][chosen]
            .map(Into::into)
            .filter(|_| is_text),
        label_column: (is_text && chosen == 3).then(|| "0".to_owned()),
        ..ColumnOptions::default()
    };
    let options = ReadOptions {
        format: (way & DETECTED == 0).then_some(format),
        zero_based: way & ZERO_BASED != 0,
        label_sets: way & SETS != 0,
        label_columns: columns.iter().map(|&name| name.to_owned()).collect(),
        columns: text,
        table: others((way >> OTHERS & 3) as usize),
        missing: if way & KEEP_MISSING != 0 { Missing::Keep } else { Missing::Refuse },
        ..ReadOptions::default()
    };
    let once = [path.to_owned()];
    match way >> MODE & 3 {
        0 => {
            let (data, vocabulary) = read_training(&once, &options)?;
            check(&data, &vocabulary);
            // Its own vocabulary knows all of it.
            let (again, unseen) = read_with(&once, &options, &vocabulary)?;
            assert_eq!((&again.labels, &again.sets), (&data.labels, &data.sets));
            assert_eq!((unseen.labels, unseen.attributes), (0, 0));
        }
        1 => {
            let (data, vocabulary) = read_training(&[path.to_owned(), path.to_owned()], &options)?;
            check(&data, &vocabulary);
        }
        2 => {
            let vocabulary = common::numbered(&["NOUN", "1", "b"], 4);
            check(&read_with(&once, &options, &vocabulary)?.0, &vocabulary);
        }
        _ => {
            let vocabulary = common::named(&["B", "b b", "l", "m", "s"], &["w=a", "w=:", "c", "x", "d\"=w"]);
            check(&read_with(&once, &options, &vocabulary)?.0, &vocabulary);
        }
    }
    Ok(())
}

/// The file has a hierarchy.
fn read_nodes(path: &Path, way: u64) -> Result<()> {
    let shape = if way & 1 != 0 { maxmargin::data::Shape::Dag } else { maxmargin::data::Shape::Tree };
    let graph = read_hierarchy(path, shape)?;
    let nodes = graph.names().len();
    let hierarchy = Hierarchy::from_edges(nodes, graph.edges()).expect("it was checked");
    assert!(nodes > 0 && (shape == maxmargin::data::Shape::Dag || hierarchy.is_tree()));
    Ok(())
}

/// The file has rows whose labels are nodes: declared in its header, paths, or of another file.
fn read_hierarchical(path: &Path, way: u64) -> Result<()> {
    let mut task = maxmargin::tasks::Hierarchy::default();
    if way & 2 != 0 {
        let file = path.with_file_name("input-hierarchy.txt");
        if !file.exists() {
            fs::write(&file, "root animal\nanimal cat\nanimal dog\nroot plant\n")
                .expect("the folder is ours");
        }
        task.options.file = Some(file);
    }
    let label_columns = if way & 1 != 0 { vec!["class".to_owned()] } else { Vec::new() };
    let options = ReadOptions { label_columns, missing: Missing::Keep, ..ReadOptions::default() };
    let once = [path.to_owned()];
    let read = task.read(&once, &options, None)?;
    let check = |data: &dyn DataObject, nodes: usize| {
        let data = data.of_type::<HierarchyExamples>().expect("what the task reads");
        let known = data.labels().iter().filter(|&&label| label != UNKNOWN_LABEL);
        assert!(known.clone().all(|&label| (label as usize) < nodes));
        assert!(data.taxonomy().is_none_or(|taxonomy| taxonomy.hierarchy().nodes() == nodes));
    };
    check(read.data.as_ref(), read.names.labels.len());
    // Its own names know all of it.
    let again = task.read(&once, &options, Some(&read.names))?;
    check(again.data.as_ref(), read.names.labels.len());
    assert_eq!(again.data.labels(), read.data.labels());
    Ok(())
}

/// A picture of two blocks of 8×8 pixels, each of one colour.
fn tiny_jpeg() -> Vec<u8> {
    let mut bytes = b"\xff\xd8\xff\xdb\x00\x43\x00".to_vec();
    bytes.extend([1; 64]);
    bytes.extend(b"\xff\xc0\x00\x0b\x08\x00\x08\x00\x10\x01\x01\x11\x00\xff\xc4\x00\x15\x00\x01\x01");
    bytes.extend([0; 14]);
    bytes.extend(b"\x00\x07\xff\xc4\x00\x14\x10\x01\x00");
    bytes.extend([0; 14]);
    bytes.extend(b"\x00\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00\x28\x0f\xff\xd9");
    bytes
}

/// The file has faces: to learn from, with the names of a model, or measured by their boxes. A picture is beside it.
fn read_faces(path: &Path, way: u64) -> Result<()> {
    let picture = path.with_file_name("input.pgm");
    for picture in [picture, path.with_extension("pgm")] {
        if picture != path && !picture.exists() {
            fs::write(picture, "P5 8 6 255\n012345670123456701234567012345670123456701234567")
                .expect("the folder is ours");
        }
    }
    let mut task = Landmarks::default();
    for (option, value) in [("frame", "8"), ("template", "3,1")] {
        Task::set(&mut task, option, &[value.to_owned()])?;
    }
    if way & 2 != 0 {
        Task::set(&mut task, "normaliser", &["box".to_owned()])?;
    }
    let names = (way & 1 != 0).then(|| common::named(&["mouth", "eye"], &["patterns"]));
    let read = Task::read(&task, &[path.to_owned()], &ReadOptions::default(), names.as_ref())?;
    let parts = read.names.labels.len();
    for i in 0..DataObject::len(&read.data) {
        let Some((points, length)) = read.data.points(i) else { continue };
        assert!(points.len() == parts && length.is_finite() && length >= 1.0);
        assert!(points.iter().all(|(x, y)| x.is_finite() && y.is_finite()));
    }
    if way & 1 == 0 {
        // What was read can be learnt.
        let resolved = Task::resolve(&task, &read.names, &read.data)?;
        let structure = Task::structure(&resolved, 1, parts)?;
        for i in 0..DataObject::len(&read.data) {
            let truth = <Landmarks as Task>::truth(&structure, &read.data, i)?;
            structure.check(&<Landmarks as Task>::input(&read.data, i), &truth)?;
        }
    }
    Ok(())
}

/// The file has sentences with their trees: to learn from, with the names of a model, or with several words below the root.
fn read_trees(path: &Path, way: u64) -> Result<()> {
    let roots = if way & 2 != 0 { Roots::Any } else { Roots::One };
    let task = Parsing { roots, projectivize: way & 4 != 0, ..Parsing::default() };
    let once = [path.to_owned()];
    let names = match way & 1 {
        0 => None,
        _ => Some(common::named(&["aux", "root"], &["form"])),
    };
    let read = Task::read(&task, &once, &ReadOptions::default(), names.as_ref())?;
    for i in 0..DataObject::len(&read.data) {
        let Some(tree) = read.data.tree(i) else { continue };
        assert_eq!(tree.len(), read.data.sentence(i).len());
        assert_eq!(DependencyTree::fault(&tree.heads, Roots::Any), None);
        assert!(way & 5 != 4 || tree.is_projective());
        // What is written is read again.
        let text = read.data.text(i).expect("it was read from a file");
        let same: Vec<(u32, &str)> = (0..text.len())
            .map(|word| (text.heads().expect("there is a tree")[word], text.column(word, Column::Deprel)))
            .collect();
        // Heads are written as numbers, without zeros before them; all else is as it was.
        let others = |text: &str| -> Vec<Vec<String>> {
            let columns = |line: &str| {
                let columns = line.split('\t').enumerate().filter(|(place, _)| *place != 6);
                columns.map(|(_, column)| column.to_owned()).collect()
            };
            text.split('\n').map(columns).collect()
        };
        let written = text.with_tree(same.iter().copied());
        assert_eq!(others(&written), others(text.text()));
    }
    Ok(())
}

/// What other columns of tables may be for.
fn others(way: usize) -> TableColumns {
    let name = |name: &str| name.to_owned();
    match way {
        0 => TableColumns::default(),
        1 => TableColumns { id: Some(name("i")), weight: Some(name("w")), ..TableColumns::default() },
        2 => TableColumns { ignored: vec![name("i")], least_count: 2, ..TableColumns::default() },
        _ => TableColumns { text: vec![name("y")], ..TableColumns::default() },
    }
}

/// Checks what was read, after missing values are filled in.
fn check(data: &Dataset, vocabulary: &Vocabulary) {
    let is_missing = (0..data.features.rows())
        .any(|row| data.features.row(row).to_pairs().iter().any(|(_, value)| value.is_nan()));
    if !is_missing {
        common::check(data, vocabulary);
    }
    // Statistics have a number for each column, which may be many more than there are values.
    if vocabulary.attributes.len() > 1 << 16 {
        return;
    }
    let counts =
        Preprocessing::fit_counts(&data.features, Impute::Zero, true, true).expect("it fits what it is of");
    if let Ok(features) = (Preprocessing { normalize: true, ..counts }).apply(&data.features) {
        common::check(&Dataset { features: features.into(), ..data.clone() }, vocabulary);
    }
    for (impute, standardise) in [(Impute::Mean, false), (Impute::Zero, true), (Impute::Mean, true)] {
        let preprocessing =
            Preprocessing::fit(&data.features, impute, standardise).expect("it fits what it is of");
        if let Ok(features) = preprocessing.apply(&data.features) {
            common::check(&Dataset { features: features.into(), ..data.clone() }, vocabulary);
        }
    }
}

/// The file has templates, for columns that are in order.
fn read_templates(path: &Path, way: u64) -> Result<()> {
    let (data, list) = (path.with_file_name("input-columns.txt"), path.with_file_name("input-list.txt"));
    if !data.exists() {
        let text = "New 1 B\nYork 2.5 I\n\nŁódź -1e3 B\nis 0 O\nin 7 O\nNew 1e-3 B\nYork 2 I\nCity 3 I\n";
        fs::write(&data, text).expect("the folder is ours");
        fs::write(&list, "New York\nŁódź\n").expect("the folder is ours");
    }
    let columns = ColumnOptions {
        templates: Some(path.to_owned()),
        syntax: if way & 1 != 0 { TemplateSyntax::Wapiti } else { TemplateSyntax::CrfPlusPlus },
        names: if way & 2 != 0 { ["word", "size", "tag"].map(str::to_owned).to_vec() } else { Vec::new() },
        gazetteers: if way & 2 != 0 { vec![("l".to_owned(), list)] } else { Vec::new() },
        ..ColumnOptions::default()
    };
    let options = ReadOptions { format: Some(Format::Conll), columns, ..ReadOptions::default() };
    let (data, vocabulary) = read_training(&[data], &options)?;
    common::check(&data, &vocabulary);
    Ok(())
}

/// The file has the names of labels, for a table that is in order.
fn read_names(path: &Path, way: u64) -> Result<()> {
    let table = path.with_file_name("input-table.arff");
    if !table.exists() {
        let text = "@relation y\n@attribute beside {0,1}\n@attribute x real\n@data\n1,1\n0,2\n";
        fs::write(&table, text).expect("the folder is ours");
    }
    let label_sets = way & SETS == 0;
    let options = ReadOptions { labels: Some(path.to_owned()), label_sets, ..ReadOptions::default() };
    let (data, vocabulary) = read_training(&[table], &options)?;
    common::check(&data, &vocabulary);
    Ok(())
}
