//! What a run shows while it works: a bar on a terminal, a line now and then elsewhere.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use maxmargin::solver::{Gap, Limits, Report};

use crate::print::{note, short_lower, short_upper, time};
use crate::time_left::TimeLeft;

/// Elsewhere than on a terminal there is a line at the passes 1, 2, 4, 8, … and at least this often.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// An estimate of the gap is shown where it is at most this share of what is proven.
const WORTH_SHOWING: f64 = 0.95;
const BAR_LENGTH: u64 = 1000;

/// Shows reports.
pub struct Progress {
    limits: Limits,
    show: Show,
    /// What the run is called, where there are several.
    name: String,
    by_gap: TimeLeft,
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
        Self { limits, show, name, by_gap: TimeLeft::new(limits.gap), is_over: false }
    }

    /// The same with nothing elsewhere than on a terminal: for runs of which others say what came of them.
    pub fn bar_only(limits: Limits, quiet: bool, name: &str) -> Self {
        Self::new(limits, quiet || !io::stderr().is_terminal(), name)
    }

    /// Shows how far the run is. After its last pass no time is left.
    pub fn update(&mut self, report: &Report, is_last: bool) {
        self.is_over = is_last;
        self.by_gap.add(report.seconds, report.estimated_gap.unwrap_or(report.certificate.gap().0));
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

    /// Shows a line between two runs.
    pub fn between(&self, line: &str) {
        match &self.show {
            Show::Nothing => {}
            Show::Lines { .. } => note(line),
            Show::Bar(bar) => bar.suspend(|| note(line)),
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
            shown_gap(report),
            report.oracle_calls,
            time(report.seconds),
            self.left(report),
        )
    }

    /// What fits beside the bar on a narrow terminal; a wrapped line could not be drawn over.
    fn short_line(&self, report: &Report) -> String {
        let (gap, primal) = (shown_gap(report), short_upper(report.certificate.primal));
        let (time, left) = (time(report.seconds), self.left(report));
        format!("{}pass {}: gap {gap}, F ≤ {primal}, {time}{left}", self.name, report.passes)
    }

    /// How far the run has come on its way to the limit that is nearest.
    fn share_done(&self, report: &Report) -> f64 {
        let passes = report.passes as f64 / self.limits.max_passes as f64;
        let seconds = self.limits.time_limit.map_or(0.0, |limit| report.seconds / limit.as_secs_f64());
        self.by_gap.share_done().max(passes).max(seconds).clamp(0.0, 1.0)
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
        let limit = [by_time, by_passes].into_iter().flatten().reduce(f64::min);
        match (self.by_gap.range(), limit) {
            (Some((least, most)), limit) if limit.is_none_or(|limit| limit > least) => {
                format!(", {} to {} left", time(least), time(limit.map_or(most, |limit| limit.min(most))))
            }
            (None, Some(limit)) if self.by_gap.least().is_some_and(|least| least < limit) => {
                format!(", at most {} left", time(limit))
            }
            (_, Some(limit)) => format!(", about {} left", time(limit)),
            (_, None) => String::new(),
        }
    }
}

/// The gap that is proven, and where a solver does not measure it in every pass, what it seems to be by now.
fn shown_gap(report: &Report) -> String {
    let gap = report.certificate.gap();
    match report.estimated_gap {
        Some(estimate) if estimate < WORTH_SHOWING * gap.0 => format!("{gap} (≈ {} by now)", Gap(estimate)),
        _ => gap.to_string(),
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
            estimated_gap: None,
        }
    }

    #[test]
    fn the_time_left_follows_the_gap() {
        let mut progress = Progress::new(Limits { gap: 1e-3, ..Limits::default() }, true, "");
        for second in 0..20 {
            progress.update(&report(second, 0.7f64.powi(second as i32)), false);
        }
        let last = report(19, 0.7f64.powi(19));
        assert_eq!(progress.left(&last), ", 0.37 s to 0.59 s left");
    }

    #[test]
    fn an_estimate_is_marked_as_such() {
        let measured = report(7, 0.25);
        assert_eq!(shown_gap(&measured), "2.50e-1");
        assert_eq!(shown_gap(&Report { estimated_gap: Some(0.249), ..measured }), "2.50e-1");
        assert_eq!(
            shown_gap(&Report { estimated_gap: Some(0.125), ..measured }),
            "2.50e-1 (≈ 1.25e-1 by now)"
        );
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
