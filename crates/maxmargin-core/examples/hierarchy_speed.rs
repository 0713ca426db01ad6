//! How long the searches and rules of a large hierarchy take: a graph of the size of SWIKI-2011 (THESIS ch. 6), with other numbers of
//! nodes as an argument.
//!
//! `cargo run --release -p maxmargin-core --example hierarchy_speed -- 50312`

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use maxmargin_core::features::{FeatureMatrix, Rows};
use maxmargin_core::inference::{Hierarchy, SetRules};
use maxmargin_core::structure::alpha::AlphaRule;
use maxmargin_core::structure::alpha::shared::{best_alpha, largest_sum};
use maxmargin_core::structure::{NodeSetOptions, NodeSetScores, NodeSetStructure, Structure};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A quarter of the nodes are inner ones, up to ten levels deep; a third of all have a second parent, if it is to be a graph.
fn hierarchy(nodes: usize, is_tree: bool, random: &mut Pcg64Mcg) -> Result<Hierarchy, Box<dyn Error>> {
    let inner = (nodes / 4).max(2);
    let mut depths = vec![0; nodes];
    let mut edges = Vec::new();
    for child in 1..nodes {
        let mut parents = Vec::new();
        let count = if !is_tree && random.random_range(0..3) == 0 { 2 } else { 1 };
        while parents.len() < count.min(child) {
            let parent = random.random_range(0..child.min(inner));
            if depths[parent] < 10 && !parents.contains(&parent) {
                parents.push(parent);
            } else if child < 4 {
                parents = vec![0];
                break;
            }
        }
        depths[child] = parents.iter().map(|&parent| depths[parent] + 1).max().unwrap_or(0);
        edges.extend(parents.iter().map(|&parent| (parent as u32, child as u32)));
    }
    Ok(Hierarchy::from_edges(nodes, &edges)?)
}

/// Milliseconds of one call, over some.
fn milliseconds(times: usize, mut run: impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..times).for_each(|_| run());
    1e3 * start.elapsed().as_secs_f64() / times as f64
}

fn main() -> Result<(), Box<dyn Error>> {
    let nodes = std::env::args().nth(1).map_or(Ok(50_312), |nodes| nodes.parse())?;
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let tree = Arc::new(hierarchy(nodes, true, &mut random)?);
    let start = Instant::now();
    let graph = Arc::new(hierarchy(nodes, false, &mut random)?);
    println!(
        "{nodes} nodes, {} edges, {} leaves: made in {:.0} ms",
        graph.edges(),
        graph.leaves().len(),
        1e3 * start.elapsed().as_secs_f64()
    );
    let x = Rows::new(&Arc::new(FeatureMatrix::from_dense(&[[1.0]])), 0..1);
    let mut normal = |mean: f64, deviation: f64| {
        let sum: f64 = (0..12).map(|_| random.random_range(-0.5..0.5)).sum();
        mean + deviation * sum
    };
    for (name, mean, deviation) in [
        ("weights 0, losses of leaves", 0.0, 0.0),
        ("as many above 0 as below", 0.0, 1.0),
        ("some above 0", -1.0, 1.0),
        ("few above 0", -2.0, 0.8),
    ] {
        let value = |node: usize, normal: f64| {
            let loss = if graph.is_leaf(node as u32) { 1.0 } else { 0.0 };
            normal + if deviation == 0.0 { loss } else { 0.3 * loss }
        };
        let values: Vec<f64> = (0..nodes).map(|node| value(node, normal(mean, deviation))).collect();
        print!("{name}:");
        let to_leaves = SetRules { needs_child: true, never_empty: true };
        for (name, hierarchy, rules, times) in [
            ("graph", &graph, SetRules::default(), 20),
            ("tree", &tree, to_leaves, 20),
            ("graph to leaves", &graph, to_leaves, 1),
        ] {
            let options = NodeSetOptions { bias: false, rules, ..NodeSetOptions::default() };
            let structure = NodeSetStructure::new(1, Arc::clone(hierarchy), options)?;
            let mut scores = NodeSetScores::default();
            structure.score(&values, &x, &mut scores);
            let best = structure.decode(&x, &mut scores);
            let time = milliseconds(times, || drop(structure.decode(&x, &mut scores)));
            let size = best.label.on().len();
            print!(" {name} {time:.2} ms with {size} nodes, which may miss {:.3};", best.missed);
        }
        println!();
    }
    for rule in ["rho=2", "rho=1.5", "rho=2,directed", "maxmin"] {
        let rule: AlphaRule = rule.parse()?;
        for (name, hierarchy) in [("tree", &tree), ("graph", &graph)] {
            let start = Instant::now();
            let outcome =
                rule.weights(hierarchy, 1.5).map_or_else(|error| error.to_string(), |_| "done".into());
            println!("{rule} on the {name}: {outcome} in {:.2} s", start.elapsed().as_secs_f64());
        }
    }
    let squares: Vec<f64> = (0..nodes).map(|_| normal(0.0, 1.0).powi(2)).collect();
    let start = Instant::now();
    let best = best_alpha(&graph, &squares)?;
    let gap = (best.norm - best.least) / best.norm;
    println!("shared norm on the graph: gap {gap:.1e} in {:.2} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let sum = largest_sum(&graph, &squares)?;
    let gap = (sum.high - sum.low) / sum.high;
    println!("largest sum on the graph: gap {gap:.1e} in {:.2} s", start.elapsed().as_secs_f64());
    Ok(())
}
