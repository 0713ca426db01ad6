//! What a run shows while it works: a bar on a terminal, a line now and then elsewhere.

use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use maxmargin::solver::Report;

use crate::print::{note, number, time};

/// Elsewhere than on a terminal there is a line at the passes 1, 2, 4, 8, … and at least this often.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// The passes from whose gaps the time left is estimated.
const RECENT: usize = 20;
const BAR_LENGTH: u64 = 1000;

/// Shows reports.
pub struct Progress {
    target: f64,
    show: Show,
    /// What the run is called, where there are several.
    name: String,
    first_gap: Option<f64>,
    recent: VecDeque<(f64, f64)>,
}

enum Show {
    Nothing,
    Lines { last: Instant },
    Bar(ProgressBar),
}

impl Progress {
    /// For a run that aims at this gap. A name tells several runs apart.
    pub fn new(target: f64, quiet: bool, name: &str) -> Self {
        let show = if quiet {
            Show::Nothing
        } else if io::stderr().is_terminal() {
            let bar = ProgressBar::new(BAR_LENGTH);
            if let Ok(style) = ProgressStyle::with_template("{bar:20} {msg}") {
                bar.set_style(style);
            }
            Show::Bar(bar)
        } else {
            Show::Lines { last: Instant::now() }
        };
        let name = if name.is_empty() { String::new() } else { format!("{name}: ") };
        Self { target, show, name, first_gap: None, recent: VecDeque::new() }
    }

    /// Shows how far the run is.
    pub fn update(&mut self, report: &Report) {
        let gap = report.certificate.gap().0;
        if gap.is_finite() && gap > 0.0 {
            self.first_gap.get_or_insert(gap);
            self.recent.push_back((report.seconds, gap.ln()));
            if self.recent.len() > RECENT {
                self.recent.pop_front();
            }
        }
        match &mut self.show {
            Show::Nothing => {}
            Show::Lines { last } => {
                if report.passes.is_power_of_two() || last.elapsed() >= LINE_EVERY {
                    *last = Instant::now();
                    note(&self.line(report));
                }
            }
            Show::Bar(bar) => {
                let bar = bar.clone();
                bar.set_position(self.position(gap));
                bar.set_message(self.line(report));
            }
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Show::Bar(bar) = &self.show {
            bar.finish_and_clear();
        }
    }

    fn line(&self, report: &Report) -> String {
        let certificate = &report.certificate;
        let left = self.seconds_left().map(|s| format!(", about {} left", time(s))).unwrap_or_default();
        format!(
            "{}pass {}: primal {}, lower bound {}, gap {}, {} oracle calls, {}{left}",
            self.name,
            report.passes,
            number(certificate.primal),
            number(certificate.lower_bound),
            certificate.gap(),
            report.oracle_calls,
            time(report.seconds),
        )
    }

    /// How far the logarithm of the gap has come on its way to the target.
    fn position(&self, gap: f64) -> u64 {
        let Some(first) = self.first_gap else { return 0 };
        let way = (first / self.target).ln();
        let done = (first / gap.max(self.target)).ln();
        if way > 0.0 { (BAR_LENGTH as f64 * (done / way).clamp(0.0, 1.0)) as u64 } else { BAR_LENGTH }
    }

    /// The time left if the gap goes on to shrink by the same factor per second as it lately did.
    fn seconds_left(&self) -> Option<f64> {
        let (&(t0, g0), &(t1, g1)) = (self.recent.front()?, self.recent.back()?);
        let rate = (g0 - g1) / (t1 - t0);
        let left = (g1 - self.target.ln()) / rate;
        (self.recent.len() > 2 && rate > 0.0 && left.is_finite() && (0.0..1e6).contains(&left))
            .then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maxmargin::solver::Certificate;

    #[test]
    fn the_time_left_follows_the_gap() {
        let mut progress = Progress::new(1e-3, true, "");
        for pass in 0..8 {
            // The gap halves each second.
            let lower_bound = 1.0 - 0.5f64.powi(pass);
            progress.update(&Report {
                passes: pass as usize + 1,
                certificate: Certificate { primal: 1.0, lower_bound, oracle_gap: 0.0 },
                primal_now: 1.0,
                oracle_calls: 0,
                seconds: pass.into(),
                master_seconds: 0.0,
            });
        }
        let left = progress.seconds_left().unwrap();
        assert!((left - (1000f64.log2() - 7.0)).abs() < 1e-9, "{left}");
        assert!((690..710).contains(&progress.position(0.5f64.powi(7))));
    }
}
