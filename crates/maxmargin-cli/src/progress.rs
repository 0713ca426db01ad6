//! What a run shows while it works: a bar on a terminal, a line now and then elsewhere.

use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use maxmargin::solver::{Limits, Report};

use crate::print::{note, short_lower, short_upper, time};

/// Elsewhere than on a terminal there is a line at the passes 1, 2, 4, 8, … and at least this often.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// The passes from whose gaps the time left is estimated.
const RECENT: usize = 20;
const BAR_LENGTH: u64 = 1000;

/// Shows reports.
pub struct Progress {
    limits: Limits,
    show: Show,
    /// What the run is called, where there are several.
    name: String,
    first_gap: Option<f64>,
    recent: VecDeque<(f64, f64)>,
    is_over: bool,
}

enum Show {
    Nothing,
    Lines { last: Instant },
    Bar(ProgressBar),
}

impl Progress {
    /// For a run with these limits. A name tells several runs apart.
    pub fn new(limits: Limits, quiet: bool, name: &str) -> Self {
        let show = if quiet {
            Show::Nothing
        } else if io::stderr().is_terminal() {
            let bar = ProgressBar::new(BAR_LENGTH);
            if let Ok(style) = ProgressStyle::with_template("{bar:16} {wide_msg}") {
                bar.set_style(style);
            }
            Show::Bar(bar)
        } else {
            Show::Lines { last: Instant::now() }
        };
        let name = if name.is_empty() { String::new() } else { format!("{name}: ") };
        Self { limits, show, name, first_gap: None, recent: VecDeque::new(), is_over: false }
    }

    /// The same with nothing elsewhere than on a terminal: for runs of which others say what came of them.
    pub fn bar_only(limits: Limits, quiet: bool, name: &str) -> Self {
        Self::new(limits, quiet || !io::stderr().is_terminal(), name)
    }

    /// Shows how far the run is. After its last pass no time is left.
    pub fn update(&mut self, report: &Report, is_last: bool) {
        self.is_over = is_last;
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
                bar.set_position((BAR_LENGTH as f64 * self.share_done(report)) as u64);
                bar.set_message(self.short_line(report));
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
        format!(
            "{}pass {}: primal {}, lower bound {}, gap {}, {} oracle calls, {}{}",
            self.name,
            report.passes,
            short_upper(certificate.primal),
            short_lower(certificate.lower_bound),
            certificate.gap(),
            report.oracle_calls,
            time(report.seconds),
            self.left(report),
        )
    }

    /// What fits beside the bar on a narrow terminal; a wrapped line could not be drawn over.
    fn short_line(&self, report: &Report) -> String {
        let (gap, primal) = (report.certificate.gap(), short_upper(report.certificate.primal));
        let (time, left) = (time(report.seconds), self.left(report));
        format!("{}pass {}: gap {gap}, F ≤ {primal}, {time}{left}", self.name, report.passes)
    }

    /// How far the run has come on its way to the limit that is nearest.
    fn share_done(&self, report: &Report) -> f64 {
        let passes = report.passes as f64 / self.limits.max_passes as f64;
        let seconds = self.limits.time_limit.map_or(0.0, |limit| report.seconds / limit.as_secs_f64());
        self.gap_share(report.certificate.gap().0).max(passes).max(seconds).clamp(0.0, 1.0)
    }

    /// How far the logarithm of the gap has come on its way to the target.
    fn gap_share(&self, gap: f64) -> f64 {
        let Some(first) = self.first_gap else { return 0.0 };
        let way = (first / self.limits.gap).ln();
        let done = (first / gap.max(self.limits.gap)).ln();
        if way > 0.0 { done / way } else { 1.0 }
    }

    fn left(&self, report: &Report) -> String {
        if self.is_over {
            return String::new();
        }
        let by_time = self.limits.time_limit.map(|limit| (limit.as_secs_f64() - report.seconds).max(0.0));
        let by_passes = (self.limits.max_passes < usize::MAX && report.passes > 0).then(|| {
            let passes_left = self.limits.max_passes.saturating_sub(report.passes);
            passes_left as f64 * report.seconds / report.passes as f64
        });
        let least = [self.seconds_left(), by_time, by_passes].into_iter().flatten().reduce(f64::min);
        least.map(|seconds| format!(", about {} left", time(seconds))).unwrap_or_default()
    }

    /// The time left if the gap goes on to shrink by the same factor per second as it lately did.
    fn seconds_left(&self) -> Option<f64> {
        let (&(t0, g0), &(t1, g1)) = (self.recent.front()?, self.recent.back()?);
        let rate = (g0 - g1) / (t1 - t0);
        let left = (g1 - self.limits.gap.ln()) / rate;
        (self.recent.len() > 2 && rate > 0.0 && left.is_finite() && (0.0..1e6).contains(&left))
            .then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maxmargin::solver::Certificate;

    fn report(seconds: u32, gap: f64) -> Report {
        Report {
            passes: seconds as usize + 1,
            certificate: Certificate { primal: 1.0, lower_bound: 1.0 - gap, oracle_gap: 0.0 },
            primal_now: 1.0,
            oracle_calls: 0,
            queries: 0,
            seconds: seconds.into(),
            master_seconds: 0.0,
        }
    }

    #[test]
    fn the_time_left_follows_the_gap() {
        let mut progress = Progress::new(Limits { gap: 1e-3, ..Limits::default() }, true, "");
        for second in 0..8 {
            progress.update(&report(second, 0.5f64.powi(second as i32)), false);
        }
        let left = progress.seconds_left().unwrap();
        assert!((left - (1000f64.log2() - 7.0)).abs() < 1e-9, "{left}");
        assert!((0.69..0.71).contains(&progress.gap_share(0.5f64.powi(7))));
    }

    #[test]
    fn no_more_time_is_left_than_the_limit_allows() {
        let limits = Limits { gap: 1e-3, max_passes: 40, time_limit: Some(Duration::from_secs(10)) };
        let mut progress = Progress::new(limits, true, "");
        for second in 0..8 {
            progress.update(&report(second, 0.99f64.powi(second as i32)), false);
        }
        let last = report(7, 0.99f64.powi(7));
        assert_eq!(progress.left(&last), ", about 3.00 s left");
        assert_eq!(progress.share_done(&last), 0.7);
        progress.update(&last, true);
        assert_eq!(progress.left(&last), "");
    }
}
