//! Where to write beside points so that no text runs into another one, over a point or out of the picture.

use std::ops::Range;

/// How far texts are from their points: as near as there is room.
const DISTANCES: [i32; 6] = [10, 22, 40, 64, 96, 140];
/// Half the side of the square around a point that stays free.
const POINT: i32 = 11;
/// What is left free between two texts.
const APART: i32 = 4;
/// To which side of a point a text is moved, in the order in which sides are tried: to the upper right first, where the fewest other
/// things are.
const SIDES: [(i32, i32); 8] = [(1, -1), (1, 0), (1, 1), (0, 1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

/// A place, or a width and a height, in pixels.
type Pair = (i32, i32);

/// A rectangle: its left upper corner, width and height.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area {
    pub corner: (i32, i32),
    pub size: (i32, i32),
}

impl Area {
    fn overlaps(&self, other: &Area) -> bool {
        let meet = |a: i32, a_size: i32, b: i32, b_size: i32| a < b + b_size && b < a + a_size;
        meet(self.corner.0, self.size.0, other.corner.0, other.size.0)
            && meet(self.corner.1, self.size.1, other.corner.1, other.size.1)
    }

    fn is_inside(&self, (x, y): &(Range<i32>, Range<i32>)) -> bool {
        let Area { corner, size } = self;
        corner.0 >= x.start && corner.0 + size.0 <= x.end && corner.1 >= y.start && corner.1 + size.1 <= y.end
    }

    fn around(&self, margin: i32) -> Area {
        let Area { corner, size } = *self;
        Area {
            corner: (corner.0 - margin, corner.1 - margin),
            size: (size.0 + 2 * margin, size.1 + 2 * margin),
        }
    }
}

/// The places of texts of these sizes, each beside its point.
pub fn places(texts: &[(Pair, Pair)], inside: &(Range<i32>, Range<i32>)) -> Vec<Area> {
    let points: Vec<Area> =
        texts.iter().map(|&(point, _)| Area { corner: point, size: (0, 0) }.around(POINT)).collect();
    let mut placed: Vec<Area> = Vec::new();
    for &(point, size) in texts {
        let mut candidates = DISTANCES.iter().flat_map(|&distance| {
            SIDES.iter().map(move |&side| Area { corner: beside(point, size, side, POINT + distance), size })
        });
        let is_free = |area: &Area| {
            let others = points.iter().chain(&placed);
            area.is_inside(inside) && !others.into_iter().any(|other| area.around(APART).overlaps(other))
        };
        let usual = Area { corner: beside(point, size, SIDES[0], POINT + DISTANCES[0]), size };
        placed.push(candidates.find(is_free).unwrap_or(usual));
    }
    placed
}

/// The left upper corner of a text on one side of a point.
fn beside(point: (i32, i32), size: (i32, i32), side: (i32, i32), distance: i32) -> (i32, i32) {
    let along = |point: i32, size: i32, side: i32| match side {
        1 => point + distance,
        -1 => point - distance - size,
        _ => point - size / 2,
    };
    (along(point.0, size.0, side.0), along(point.1, size.1, side.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_keep_apart_and_inside() {
        // Points that crowd in a corner, as the answers of a search do near its end.
        let texts: Vec<_> =
            (0..9).map(|i: i32| ((700 + 9 * i, 80 + 14 * i), (30 + 20 * (i % 4), 30))).collect();
        let inside = (100..800, 40..600);
        let places = places(&texts, &inside);
        for (i, a) in places.iter().enumerate() {
            assert!(a.is_inside(&inside), "{a:?}");
            for b in &places[..i] {
                assert!(!a.overlaps(b), "{a:?} and {b:?}");
            }
            for &(point, _) in &texts {
                assert!(!a.overlaps(&Area { corner: point, size: (1, 1) }), "{a:?} lies on {point:?}");
            }
        }
    }

    #[test]
    fn a_text_alone_stands_to_the_upper_right() {
        assert_eq!(
            places(&[((100, 100), (40, 20))], &(0..500, 0..500)),
            [Area { corner: (121, 59), size: (40, 20) }]
        );
        // Without any room it stands there as well.
        assert_eq!(
            places(&[((100, 100), (40, 20))], &(0..10, 0..10)),
            [Area { corner: (121, 59), size: (40, 20) }]
        );
    }
}
