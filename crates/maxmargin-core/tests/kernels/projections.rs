//! Promise: a projection is the nearest flow. A reference solver finds the same one, and the flow itself is exact to
//! rounding, from whatever potentials the projection starts.

use crate::inference::FlowProjection;
use proptest::prelude::*;

use crate::inference::networks::{Aim, Shape};

/// What conservation may lack in all nodes together.
const ROUNDING: f64 = 1e-12;

fn check(aim: &Aim, potentials: &mut [f64], reference: &[f64]) -> Result<Vec<f64>, TestCaseError> {
    let mut flow = vec![0.0; aim.point.len()];
    let projected = FlowProjection::default().project(&aim.network, &aim.point, potentials, &mut flow);
    let size = flow.iter().fold(1.0, |size: f64, z| size.max(*z)) * flow.len() as f64;
    prop_assert!(aim.network.excess(&flow) <= ROUNDING * size, "{projected:?} is no flow: {flow:?}");
    prop_assert!((aim.network.excess(&flow) - projected.excess).abs() <= ROUNDING * size, "{projected:?}");
    let (distance, least) = (aim.distance(&flow), aim.distance(reference));
    prop_assert!(distance <= least + 1e-7 * (1.0 + least), "{projected:?}: {distance} away, not {least}");
    for (a, (z, reference)) in flow.iter().zip(reference).enumerate() {
        prop_assert!((z - reference).abs() <= 1e-4 * size, "arc {a}: {z}, and the reference has {reference}");
    }
    Ok(flow)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn on_random_networks(
        shape in prop::sample::select(vec![Shape::Any, Shape::Matching, Shape::Trellis]),
        size in 1usize..=8,
        spread in prop::sample::select(vec![0.1, 1.0, 30.0]),
        seed in any::<u64>(),
    ) {
        let aim = Aim::random(shape, size, spread, seed);
        let reference = aim.reference();
        let mut potentials = vec![0.0; aim.network.nodes()];
        let flow = check(&aim, &mut potentials, &reference)?;
        // From its own potentials there is nothing to do; from others it is the same flow.
        let again = check(&aim, &mut potentials.clone(), &reference)?;
        let mut wild: Vec<f64> = (0..potentials.len()).map(|v| 50.0 * ((v * 7 % 5) as f64 - 2.0)).collect();
        let from_wild = check(&aim, &mut wild, &reference)?;
        for (z, others) in flow.iter().zip(again.iter().zip(&from_wild)) {
            prop_assert!((z - others.0).abs() < 1e-9 && (z - others.1).abs() < 1e-9, "{z} and {others:?}");
        }
    }
}

/// The projection of a flow is the flow itself.
#[test]
fn a_flow_stays_where_it_is() {
    for seed in 0..20 {
        let mut aim = Aim::random(Shape::Matching, 12, 2.0, seed);
        let (mut flow, mut potentials) = (vec![0.0; aim.point.len()], vec![0.0; aim.network.nodes()]);
        FlowProjection::default().project(&aim.network, &aim.point, &mut potentials, &mut flow);
        aim.point.clone_from(&flow);
        potentials.fill(0.0);
        let projected =
            FlowProjection::default().project(&aim.network, &aim.point, &mut potentials, &mut flow);
        let moved = flow.iter().zip(&aim.point).map(|(z, x)| (z - x).abs()).fold(0.0, f64::max);
        assert!(moved < 1e-12, "seed {seed}: moved by {moved:e}, {projected:?}");
    }
}
