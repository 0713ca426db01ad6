//! Landmarks against all labels of small grids.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::structure::Example;
use crate::testing::check_structure;

/// A random picture of a structure, with few codes so that they repeat.
fn random_input(structure: &LandmarkStructure, random: &mut Pcg64Mcg) -> LandmarkInput {
    let LandmarkOptions { size, template, kinds, gradients, .. } = structure.options();
    let level = |level: usize| {
        let (width, height) = template.level_size(level, *size);
        let codes = (0..width * height).map(|_| random.random_range(0..*kinds) as u8).collect();
        CodeLevel::new(width, codes).unwrap()
    };
    let picture = CodePyramid::new((0..template.sides().len()).map(level).collect::<Vec<_>>());
    let field = |cells: GradientCells| {
        let (width, height) = cells.field_size(*size);
        let numbers = (0..width * height * 9).map(|_| random.random_range(0..=255) as u8).collect();
        GradientField::new(width, numbers).unwrap()
    };
    LandmarkInput { picture, gradients: gradients.map(field), scale: 0.3, frame: (0.0, 0.0, 1.0) }
}

fn all_labels(structure: &LandmarkStructure) -> Vec<Vec<u32>> {
    structure.windows().iter().fold(vec![Vec::new()], |labels, window| {
        let cells = window.cells() as u32;
        let longer = |label: &Vec<u32>| {
            let label = label.clone();
            (0..cells).map(move |cell| [&label[..], &[cell]].concat())
        };
        labels.iter().flat_map(longer).collect()
    })
}

fn some_options() -> Vec<LandmarkOptions> {
    let window = |left, top, width, height| Window { left, top, width, height };
    let edge = |parent, child, x, y| PartEdge { parent, child, offset: (x, y) };
    let shapes = [
        ((5, 4), vec![window(1, 1, 3, 2)], vec![]),
        ((5, 4), vec![window(0, 0, 3, 2), window(2, 1, 2, 3)], vec![edge(1, 0, -2, -1)]),
        (
            (6, 3),
            vec![window(0, 0, 4, 1), window(1, 0, 3, 2), window(5, 1, 1, 2)],
            vec![edge(0, 1, 1, 0), edge(1, 2, 2, 0)],
        ),
        (
            (4, 4),
            vec![window(0, 0, 2, 2), window(1, 1, 2, 1), window(2, 2, 2, 2), window(0, 2, 1, 2)],
            vec![edge(2, 0, -2, -2), edge(2, 1, 0, 0), edge(0, 3, 0, 1)],
        ),
    ];
    let mut all = Vec::new();
    for (size, windows, edges) in shapes {
        for deformation in [
            Deformation::Quadratic { spread: 1.0 },
            Deformation::Quadratic { spread: 3.7 },
            Deformation::Table,
        ] {
            for (sides, gradients) in [(vec![1], None), (vec![3, 1, 1], None), (vec![1, 1], Some((3, 2)))] {
                let template = Template::new(sides).unwrap();
                let gradients = gradients.map(|(side, pixels)| GradientCells::new(side, pixels).unwrap());
                let (windows, edges) = (windows.clone(), edges.clone());
                all.push(LandmarkOptions {
                    size,
                    windows,
                    edges,
                    deformation,
                    template,
                    kinds: 3,
                    gradients,
                });
            }
        }
    }
    all
}

#[test]
fn they_keep_their_word() -> Result<()> {
    let mut random = Pcg64Mcg::seed_from_u64(21);
    for options in some_options() {
        let structure = LandmarkStructure::new(options)?;
        let labels = all_labels(&structure);
        for _ in 0..2 {
            let input = random_input(&structure, &mut random);
            let truth = labels[random.random_range(0..labels.len())].clone();
            check_structure(&structure, &[Example { input, truth, weight: 1.0 }], |_| labels.clone())?;
        }
    }
    Ok(())
}

#[test]
fn large_windows_are_decoded_as_by_the_table_of_all_pairs() -> Result<()> {
    let mut random = Pcg64Mcg::seed_from_u64(22);
    let window = |left, top| Window { left, top, width: 17, height: 13 };
    let edge = |parent, child| PartEdge { parent, child, offset: (2, -1) };
    let quadratic = LandmarkOptions {
        size: (40, 40),
        windows: vec![window(0, 0), window(10, 5), window(20, 20), window(3, 27)],
        edges: vec![edge(1, 0), edge(1, 2), edge(2, 3)],
        deformation: Deformation::Quadratic { spread: 4.0 },
        template: Template::halving(3, 3)?,
        kinds: 256,
        gradients: Some(GradientCells::new(1, 4)?),
    };
    let table = LandmarkOptions { deformation: Deformation::Table, ..quadratic.clone() };
    let (quadratic, table) = (LandmarkStructure::new(quadratic)?, LandmarkStructure::new(table)?);
    for round in 0..20 {
        let input = random_input(&quadratic, &mut random);
        let truth: Vec<u32> = match round % 2 {
            0 => (0..4).map(|_| random.random_range(0..17 * 13)).collect(),
            // In the middle of each window: all corners are as far, and scores decide.
            _ => vec![6 * 17 + 8; 4],
        };
        let w: Vec<f64> = (0..quadratic.dim()).map(|_| random.random_range(-1.0..1.0)).collect();
        let mut scores = LandmarkScores::default();
        quadratic.score(&w, &input, &mut scores);
        // The same numbers for each offset, one by one.
        let mut by_pairs = scores.clone();
        for (number, edge) in quadratic.edges().iter().enumerate() {
            let sizes = [edge.child, edge.parent].map(|part| quadratic.windows()[part].size());
            let LinkValues::Bent(across, down) = &scores.links[number] else { panic!("no quadratic link") };
            let all = down.values.iter().flat_map(|y| across.values.iter().map(move |x| x + y)).collect();
            assert_eq!(across.values.len(), sizes[0].0 + sizes[1].0 - 1);
            by_pairs.links[number] = LinkValues::Table(all);
        }
        for mix in [Mix::SCORE, Mix::AUGMENTED, Mix::LOSS, Mix { score: 0.5, loss: 3.0 }] {
            let (a, b) = (
                quadratic.maximize(&input, &truth, &mut scores, mix),
                table.maximize(&input, &truth, &mut by_pairs, mix),
            );
            let (a, b) = (mix.rank(a.score, a.loss), mix.rank(b.score, b.loss));
            assert!((a.0 - b.0).abs() < 1e-9, "round {round}, {mix:?}: {a:?} and {b:?}");
            if mix.score == 0.0 {
                assert!((a.1 - b.1).abs() < 1e-9, "round {round}, {mix:?}: {a:?} and {b:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() {
    let good = some_options().remove(20);
    let refused = |options: LandmarkOptions| LandmarkStructure::new(options).is_err();
    assert!(!refused(good.clone()));
    assert!(refused(LandmarkOptions { size: (0, 4), ..good.clone() }));
    assert!(refused(LandmarkOptions { size: (4, 3), ..good.clone() }), "a window is outside");
    assert!(refused(LandmarkOptions { kinds: 257, ..good.clone() }));
    assert!(refused(LandmarkOptions { edges: Vec::new(), ..good.clone() }));
    assert!(refused(LandmarkOptions { windows: Vec::new(), edges: Vec::new(), ..good.clone() }));
    for spread in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(refused(LandmarkOptions { deformation: Deformation::Quadratic { spread }, ..good.clone() }));
    }
    let structure = LandmarkStructure::new(good).unwrap();
    let mut random = Pcg64Mcg::seed_from_u64(23);
    let input = random_input(&structure, &mut random);
    let cells: Vec<u32> = structure.windows().iter().map(|window| window.cells() as u32 - 1).collect();
    assert!(structure.check(&input, &cells).is_ok());
    let mut outside = cells.clone();
    outside[1] += 1;
    assert!(structure.check(&input, &outside).is_err() && structure.check(&input, &Vec::new()).is_err());
    let bad = |scale: f64| LandmarkInput { scale, ..input.clone() };
    assert!(
        [0.0, -1.0, f64::NAN, f64::INFINITY]
            .into_iter()
            .all(|scale| structure.check(&bad(scale), &cells).is_err())
    );
    let level = CodeLevel::new(1, vec![0]).unwrap();
    let other = LandmarkInput { picture: CodePyramid::new([level]), ..input.clone() };
    assert!(structure.check(&other, &cells).is_err(), "another size");
    let strange = input.picture.levels().iter().map(|level| {
        let (width, codes) = (level.size().0, level.codes());
        CodeLevel::new(width, vec![3; codes.len()]).unwrap()
    });
    let strange = LandmarkInput { picture: CodePyramid::new(strange), ..input.clone() };
    assert!(structure.check(&strange, &cells).is_err(), "codes that there are not");
    let field = GradientField::new(1, vec![0; 9]).unwrap();
    for gradients in [None, Some(field)] {
        assert!(structure.check(&LandmarkInput { gradients, ..input.clone() }, &cells).is_err());
    }
}
