//! The maximum flow behind roof duality, on a graph of implications that is its own mirror image.
//!
//! A label has two literals, "on" and "off". A coupling c > 0 says that on implies on and off implies off, c < 0 that on
//! implies off; breaking an implication costs |c|/2 in either direction. A label's excess, positive when it would rather
//! be on, is the supply at one of its literals and the demand at the other. A path from a literal with supply to one with
//! demand is a conflict between two wishes; flow along it pays for the conflict and weakens both (Boros & Hammer 2002).
//!
//! Invariant: each arc l → m has the residual of its mirror image m̄ → l̄, because flow is always pushed along both. So one
//! excess per label and two residuals per pair say everything, changed unaries are changed excesses, and the sinks are the
//! mirror image of the sources. Phases are Dinic's: the mirror image of a shortest path is one as well, so the distance
//! grows from phase to phase, which bounds their number by the number of literals whatever the numbers are.
//!
//! For each literal a bit set has the literals to which it has an open arc, as words that are not empty from the start:
//! a step of a search looks at 64 arcs in a dense graph, and at no more than all arcs in a sparse one.

mod free_choice;

use super::dominance::{HALF, OFF, ON};
use super::{BinaryField, LabelGraph};

/// Residuals and excesses up to this are nothing; the largest number of a field is scaled to about 1. It lies below what losses
/// count where they only break ties, about 1e-14 of all scores.
const NOTHING: f64 = 1.0 / (1u64 << 51) as f64;
const UNSEEN: u32 = u32::MAX;

/// Flow between the undecided labels of a field; working memory that is reused.
#[derive(Debug, Clone, Default)]
pub(super) struct ConflictFlow {
    /// The labels that take part, in ascending order, and the place of each label of the graph among them or `UNSEEN`.
    pub labels: Vec<u32>,
    pub places: Vec<u32>,
    /// Literal `l < off` is "label l on", literal `off + l` "label l off"; a multiple of 64.
    off: usize,
    pub excess: Vec<f64>,
    /// For each edge of the graph the residuals of its two pairs of arcs; see `slot`.
    residual: Vec<[f64; 2]>,
    /// Where the words of each label start: first those of "on", then as many of "off".
    starts: Vec<u32>,
    words: Vec<u32>,
    bits: Vec<u64>,
    /// The neighbours of one label while its words are made.
    helpful: Vec<(u32, u64)>,
    harmful: Vec<(u32, u64)>,
    search: Search,
}

/// The state of one phase.
#[derive(Debug, Clone, Default)]
struct Search {
    levels: Vec<u32>,
    /// The literals that still lead somewhere, by level modulo 4. A neighbour is at most one level further, so that few
    /// literals of a wrong level are met; their own level tells.
    open: [Vec<u64>; 4],
    unseen: Vec<u64>,
    sinks: Vec<u64>,
    queue: Vec<u32>,
    /// The word at which each literal goes on looking.
    cursors: Vec<u32>,
    path: Vec<Step>,
}

/// A literal on a path, and the arc to it (meaningless for the first).
#[derive(Debug, Clone, Copy)]
struct Step {
    literal: usize,
    edge: usize,
    slot: usize,
}

impl ConflictFlow {
    /// Starts with no flow between the labels that are undecided in `states`, where `excess` says what labels of the graph
    /// would rather be.
    pub fn start(&mut self, field: BinaryField<'_>, scale: f64, states: &[u8], excess: &[f64]) {
        self.labels.clear();
        self.labels.extend((0..states.len() as u32).filter(|&i| states[i as usize] == HALF));
        self.places.clear();
        self.places.resize(states.len(), UNSEEN);
        for (place, &label) in self.labels.iter().enumerate() {
            self.places[label as usize] = place as u32;
        }
        self.off = self.labels.len().next_multiple_of(64);
        self.excess.clear();
        self.excess.extend(self.labels.iter().map(|&label| excess[label as usize]));
        self.residual.resize(field.coupling.len(), [0.0; 2]);
        self.starts.clear();
        self.starts.push(0);
        self.words.clear();
        self.bits.clear();
        for place in 0..self.labels.len() {
            self.add_rows(field, 0.5 * scale, self.labels[place] as usize);
        }
        let literals = 2 * self.off;
        let search = &mut self.search;
        search.levels.resize(literals, UNSEEN);
        search.cursors.resize(literals, 0);
        for set in search.open.iter_mut().chain([&mut search.unseen, &mut search.sinks]) {
            set.resize(literals / 64, 0);
        }
    }

    /// The open arcs of both literals of a label: to the same literal of helpful neighbours, to the other of harmful ones.
    fn add_rows(&mut self, field: BinaryField<'_>, half: f64, label: usize) {
        let off = (self.off / 64) as u32;
        self.helpful.clear();
        self.harmful.clear();
        // Signs of couplings are as random as coins: no branch depends on them.
        let (mut word, mut helps, mut harms) = (0, 0, 0);
        for &(j, e) in field.graph.neighbours(label) {
            let place = self.places[j as usize];
            if place == UNSEEN {
                continue;
            }
            let coupling = half * field.coupling[e as usize];
            self.residual[e as usize] = [coupling.abs(); 2];
            if place / 64 != word {
                self.helpful.push((word, helps));
                self.harmful.push((word, harms));
                (word, helps, harms) = (place / 64, 0, 0);
            }
            helps |= u64::from(coupling > NOTHING) << (place % 64);
            harms |= u64::from(coupling < -NOTHING) << (place % 64);
        }
        self.helpful.push((word, helps));
        self.harmful.push((word, harms));
        for (on, to_off) in [(&self.helpful, &self.harmful), (&self.harmful, &self.helpful)] {
            let to_off = to_off.iter().map(|&(word, bits)| (word + off, bits));
            for (word, bits) in on.iter().copied().chain(to_off).filter(|entry| entry.1 != 0) {
                self.words.push(word);
                self.bits.push(bits);
            }
        }
        self.starts.push(self.words.len() as u32);
    }

    /// Makes the flow maximal.
    pub fn run(&mut self, graph: &LabelGraph) {
        // The distance of the nearest sink grows by one at least, and is less than the number of literals.
        for _ in 0..=2 * self.labels.len() {
            let Some(distance) = self.measure() else { return };
            for place in 0..self.labels.len() {
                self.drain(graph, place, distance);
            }
        }
    }

    /// Writes what is decided; labels on which wishes cancel out remain undecided where no choice for them is free.
    pub fn write(&mut self, states: &mut [u8]) {
        // The last search found no sink: whatever a wish implies is granted, and no literal's opposite is among it.
        self.measure();
        for (place, &label) in self.labels.iter().enumerate() {
            let seen = [place, self.off + place].map(|literal| self.search.levels[literal] != UNSEEN);
            states[label as usize] = match seen {
                [true, _] => ON,
                [_, true] => OFF,
                _ => HALF,
            };
        }
        self.choose_freely(states);
    }

    fn label(&self, literal: usize) -> usize {
        if literal < self.off { literal } else { literal - self.off }
    }

    fn mirror(&self, literal: usize) -> usize {
        if literal < self.off { literal + self.off } else { literal - self.off }
    }

    /// How much a literal's label would rather have it true.
    fn wish(&self, literal: usize) -> f64 {
        if literal < self.off { self.excess[literal] } else { -self.excess[literal - self.off] }
    }

    fn wished(&self, place: usize) -> Option<usize> {
        let excess = self.excess[place];
        (excess.abs() > NOTHING).then_some(if excess > 0.0 { place } else { self.off + place })
    }

    fn row(&self, literal: usize) -> std::ops::Range<usize> {
        let label = self.label(literal);
        let (start, end) = (self.starts[label] as usize, self.starts[label + 1] as usize);
        let middle = start.midpoint(end);
        if literal < self.off { start..middle } else { middle..end }
    }

    /// Which of its edge's residuals an arc has. With i < j, the first is that of the arc from "i on" and of its mirror
    /// image, the second that of their reverses.
    fn slot(&self, from: usize, to: usize) -> usize {
        let on = from < self.off;
        let helpful = on == (to < self.off);
        let forward = if helpful { on == (self.label(from) < self.label(to)) } else { on };
        usize::from(!forward)
    }

    /// Opens or closes an arc and its mirror image.
    fn set_open(&mut self, from: usize, to: usize, open: bool) {
        for (from, to) in [(from, to), (self.mirror(to), self.mirror(from))] {
            let row = self.row(from);
            let word = (to / 64) as u32;
            // In a dense graph no word of a row is left out, and the place is known.
            let likely = row.start + (word - self.words[row.start]) as usize;
            let at = match row.contains(&likely) && self.words[likely] == word {
                true => likely,
                false => row.start + self.words[row].partition_point(|&other| other < word),
            };
            if open {
                self.bits[at] |= 1 << (to % 64);
            } else {
                self.bits[at] &= !(1 << (to % 64));
            }
        }
    }

    /// Finds the levels of literals up to the nearest sink; none when no sink can be reached.
    fn measure(&mut self) -> Option<u32> {
        let mut search = std::mem::take(&mut self.search);
        search.levels.fill(UNSEEN);
        search.cursors.fill(0);
        search.unseen.fill(!0);
        search.sinks.fill(0);
        search.open.iter_mut().for_each(|set| set.fill(0));
        search.queue.clear();
        for source in (0..self.labels.len()).filter_map(|place| self.wished(place)) {
            let sink = self.mirror(source);
            search.sinks[sink / 64] |= 1 << (sink % 64);
            search.unseen[source / 64] &= !(1 << (source % 64));
            search.levels[source] = 0;
            search.queue.push(source as u32);
        }
        let mut distance = None;
        let mut next = 0;
        while next < search.queue.len() {
            let literal = search.queue[next] as usize;
            next += 1;
            let level = search.levels[literal] + 1;
            if distance.is_some_and(|distance| level > distance) {
                break;
            }
            for at in self.row(literal) {
                let word = self.words[at] as usize;
                let mut new = self.bits[at] & search.unseen[word];
                search.unseen[word] &= !new;
                search.open[level as usize % 4][word] |= new;
                if new & search.sinks[word] != 0 {
                    distance = Some(level);
                }
                while new != 0 {
                    let found = 64 * word + new.trailing_zeros() as usize;
                    new &= new - 1;
                    search.levels[found] = level;
                    search.queue.push(found as u32);
                }
            }
        }
        if let Some(distance) = distance {
            // By symmetry the level of its mirror image is a literal's distance from the sinks: only those whose levels add up
            // are on a shortest path.
            for &literal in &search.queue {
                let literal = literal as usize;
                let level = search.levels[literal];
                if distance - level != search.levels[self.mirror(literal)] {
                    search.open[level as usize % 4][literal / 64] &= !(1 << (literal % 64));
                }
            }
        }
        self.search = search;
        distance
    }

    /// Pushes what a label's wish can send to sinks along shortest paths.
    fn drain(&mut self, graph: &LabelGraph, place: usize, distance: u32) {
        let Some(source) = self.wished(place) else { return };
        self.search.path.clear();
        self.search.path.push(Step { literal: source, edge: 0, slot: 0 });
        while let Some(&Step { literal, .. }) = self.search.path.last() {
            let level = self.search.path.len() as u32 - 1;
            if level == distance && self.wish(self.mirror(literal)) > NOTHING {
                self.augment();
                if self.wish(source) <= NOTHING {
                    return;
                }
            } else if level < distance
                && let Some(to) = self.next(literal, level + 1)
            {
                let (i, j) = (self.labels[self.label(literal)], self.labels[self.label(to)]);
                let edge = graph.edge(i as usize, j as usize).expect("arcs are made of edges");
                self.search.path.push(Step { literal: to, edge, slot: self.slot(literal, to) });
            } else {
                // A dead end for the rest of the phase.
                self.search.open[level as usize % 4][literal / 64] &= !(1 << (literal % 64));
                self.search.path.pop();
            }
        }
    }

    /// The next literal of this level to which a literal has an open arc.
    fn next(&mut self, literal: usize, level: u32) -> Option<usize> {
        let row = self.row(literal);
        let open = &self.search.open[level as usize % 4];
        for at in row.start + self.search.cursors[literal] as usize..row.end {
            let word = self.words[at] as usize;
            let mut found = self.bits[at] & open[word];
            while found != 0 {
                let to = 64 * word + found.trailing_zeros() as usize;
                if self.search.levels[to] == level {
                    self.search.cursors[literal] = (at - row.start) as u32;
                    return Some(to);
                }
                found &= found - 1;
            }
        }
        None
    }

    /// Pushes as much as possible along the path and its mirror image, and goes back to where the path is broken.
    fn augment(&mut self) {
        let mut path = std::mem::take(&mut self.search.path);
        let last = path.len() - 1;
        let (source, sink) = (path[0].literal, path[last].literal);
        // An arc that is on the path together with its mirror image is used twice.
        let share = |residual: f64, twice: bool| if twice { 0.5 * residual } else { residual };
        let source_twice = self.mirror(sink) == source;
        let mut amount =
            share(self.wish(source), source_twice).min(share(self.wish(self.mirror(sink)), source_twice));
        for t in 1..=last {
            let twice = path[t - 1].literal == self.mirror(path[last - t + 1].literal)
                && path[t].literal == self.mirror(path[last - t].literal);
            amount = amount.min(share(self.residual[path[t].edge][path[t].slot], twice));
        }
        for literal in [source, self.mirror(sink)] {
            if literal < self.off {
                self.excess[literal] -= amount;
            } else {
                self.excess[literal - self.off] += amount;
            }
        }
        for t in 1..=last {
            let Step { literal: to, edge, slot } = path[t];
            let residual = &mut self.residual[edge];
            let reverse_was_closed = residual[1 - slot] <= NOTHING;
            residual[slot] -= amount;
            residual[1 - slot] += amount;
            let (closed, reverse_opens) =
                (residual[slot] <= NOTHING, reverse_was_closed && residual[1 - slot] > NOTHING);
            let from = path[t - 1].literal;
            if closed {
                self.set_open(from, to, false);
            }
            if reverse_opens {
                self.set_open(to, from, true);
            }
        }
        let sink_is_full = self.wish(self.mirror(sink)) <= NOTHING;
        if sink_is_full {
            self.search.open[last % 4][sink / 64] &= !(1 << (sink % 64));
        }
        // By then an arc's mirror image may have been closed as well.
        let broken = (1..=last).find(|&t| self.residual[path[t].edge][path[t].slot] <= NOTHING);
        path.truncate(broken.unwrap_or(last));
        self.search.path = path;
    }
}
