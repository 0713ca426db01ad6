//! When to break off in the middle of a pass.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A time at which a run ends, or a flag that somebody may set. Once due, it stays due.
///
/// Solvers look at it in those parts of a pass that may take long and can be broken off: their master problems, and with BCFW the calls
/// of oracles. These are broken off where somebody asks for it only: a limit on time lets the pass come to its bounds.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use maxmargin_core::solver::Halt;
/// let asked = Arc::new(AtomicBool::new(false));
/// let halt = Halt::when(asked.clone());
/// assert!(!halt.is_due());
/// asked.store(true, Ordering::SeqCst);
/// assert!(halt.is_due());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Halt {
    deadline: Option<Instant>,
    asked: Option<Arc<AtomicBool>>,
    /// For tests: due after this many looks.
    #[cfg(test)]
    looks: Option<Arc<std::sync::atomic::AtomicI64>>,
}

impl Halt {
    /// When the flag is set.
    pub fn when(asked: Arc<AtomicBool>) -> Self {
        Self { asked: Some(asked), ..Self::default() }
    }

    /// Also at this time.
    pub fn or_at(self, deadline: Option<Instant>) -> Self {
        Self { deadline, ..self }
    }

    /// Whether it may ever be due.
    pub fn may_be_due(&self) -> bool {
        #[cfg(test)]
        if self.looks.is_some() {
            return true;
        }
        self.deadline.is_some() || self.asked.is_some()
    }

    /// Whether somebody has set the flag.
    pub fn is_asked(&self) -> bool {
        #[cfg(test)]
        if let Some(looks) = &self.looks {
            return looks.fetch_sub(1, Ordering::SeqCst) <= 0;
        }
        self.asked.as_ref().is_some_and(|asked| asked.load(Ordering::SeqCst))
    }

    /// Whether to break off.
    pub fn is_due(&self) -> bool {
        self.is_asked() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::super::{
        Limits, RunState, SolverKind, SolverSettings, Stop, load_state, resume_until, run, save_state,
    };
    use super::*;
    use crate::risk::Risk;
    use crate::samples::chains;
    #[cfg(feature = "interior-point")]
    use crate::samples::rows;

    fn after(looks: i64) -> Halt {
        Halt { looks: Some(Arc::new(looks.into())), ..Halt::default() }
    }

    /// Breaks a run off again and again, at all kinds of places, each time through its saved state, and compares the end.
    fn breaks_leave_no_trace(kind: SolverKind, risk: &dyn Risk) {
        breaks_leave_no_trace_from(kind, risk, None);
    }

    /// The same of a run that starts at given weights.
    fn breaks_leave_no_trace_from(kind: SolverKind, risk: &dyn Risk, start: Option<Vec<f64>>) {
        let settings = SolverSettings { start, ..SolverSettings::new(0.05).unwrap() };
        let limits = Limits { gap: 1e-15, max_passes: 30, time_limit: None };
        let whole =
            run(kind.build(risk, &settings).unwrap().as_mut(), risk, limits, |_| ControlFlow::Continue(()))
                .unwrap();

        let (mut state, mut solver) = (RunState::new(risk), kind.build(risk, &settings).unwrap());
        let mut breaks = 0;
        let stop = loop {
            let halt = after(breaks * breaks % 97 + breaks / 7);
            let stop = resume_until(solver.as_mut(), risk, limits, &halt, &mut state, |_, _| {
                if halt.is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .unwrap();
            let certificate = state.report().certificate;
            assert!(certificate.lower_bound <= whole.report.certificate.primal, "{kind}: {certificate:?}");
            if stop != Stop::Interrupted {
                break stop;
            }
            breaks += 1;
            let saved = save_state(&state, solver.as_ref(), risk).unwrap();
            (state, solver) = load_state(&saved, risk).unwrap();
        };
        let broken = state.into_outcome(stop);
        assert!(breaks > 2, "{kind}: {breaks}");
        assert_eq!((broken.stop, broken.report.passes), (whole.stop, whole.report.passes), "{kind}");
        assert_eq!(broken.report.certificate, whole.report.certificate, "{kind}");
        // The small program is solved anew each time, and each try is looked at.
        if kind != SolverKind::SmallQp {
            assert_eq!(broken.report.oracle_calls, whole.report.oracle_calls, "{kind}");
        }
        assert!(broken.weights == whole.weights, "{kind}: other weights");
    }

    #[test]
    fn a_run_that_was_broken_off_ends_as_if_it_had_not_been() {
        let risk = chains(20);
        use SolverKind::{Bcfw, Bmrm, NSlack, PBmrm, ProxBmrm, ProxPBmrm};
        for kind in [Bmrm, PBmrm, ProxBmrm, ProxPBmrm, NSlack, Bcfw] {
            breaks_leave_no_trace(kind, &risk);
        }
    }

    #[test]
    fn neither_do_breaks_between_two_calls_of_oracles() {
        // Several batches and several parts of an evaluation.
        let risk = chains(150);
        let start = vec![0.01; risk.dim()];
        for kind in [SolverKind::Bcfw, SolverKind::Sdca] {
            breaks_leave_no_trace(kind, &risk);
            breaks_leave_no_trace_from(kind, &risk, Some(start.clone()));
        }
    }

    #[test]
    fn block_coordinate_ascent_does_not_finish_its_first_pass() {
        let risk = chains(150);
        let settings = SolverSettings::new(0.05).unwrap();
        let whole = |passes| {
            let limits = Limits { max_passes: passes, ..Limits::default() };
            let mut solver = SolverKind::Bcfw.build(&risk, &settings).unwrap();
            run(solver.as_mut(), &risk, limits, |_| ControlFlow::Continue(())).unwrap().report
        };
        let (one, many) = (whole(1), whole(100));
        for looks in 1..20 {
            let mut solver = SolverKind::Bcfw.build(&risk, &settings).unwrap();
            let mut state = RunState::new(&risk);
            let halt = after(looks);
            let broken = |_: &RunState, _: &dyn super::super::Solver| ControlFlow::Break(());
            let stop =
                resume_until(solver.as_mut(), &risk, Limits::default(), &halt, &mut state, broken).unwrap();
            assert_eq!(stop, Stop::Interrupted);
            let report = *state.report();
            assert!(report.oracle_calls < one.oracle_calls, "{looks} looks: {report:?}");
            // The primal value was not measured; what the visits prove holds.
            assert_eq!(report.certificate.primal, f64::INFINITY);
            assert!((0.0..=many.certificate.primal).contains(&report.certificate.lower_bound), "{report:?}");
            // The weights so far are there all the same.
            let visited = report.oracle_calls > 0;
            assert_eq!(state.weights().iter().any(|&weight| weight != 0.0), visited, "{looks} looks");
            // Whoever forgets to finish the pass has no bounds of half of it.
            let next = solver.step(&risk).certificate;
            assert!(next.primal >= many.certificate.lower_bound && next.primal < f64::INFINITY, "{next:?}");
        }
    }

    #[test]
    fn a_run_that_begins_when_the_end_is_asked_for_makes_one_pass() {
        let risk = chains(150);
        let settings = SolverSettings::new(0.05).unwrap();
        let mut solver = SolverKind::Bcfw.build(&risk, &settings).unwrap();
        let mut state = RunState::new(&risk);
        let broken = |_: &RunState, _: &dyn super::super::Solver| ControlFlow::Break(());
        let stop =
            resume_until(solver.as_mut(), &risk, Limits::default(), &after(0), &mut state, broken).unwrap();
        assert_eq!((stop, state.report().passes), (Stop::Interrupted, 1));
        assert!(state.report().certificate.primal < f64::INFINITY);
    }

    #[cfg(feature = "interior-point")]
    #[test]
    fn the_small_qp_can_be_broken_off_too() {
        breaks_leave_no_trace(SolverKind::SmallQp, &rows(12));
    }

    #[test]
    fn a_master_problem_that_is_broken_off_at_once_still_has_a_bound() {
        let risk = chains(20);
        let settings = SolverSettings::new(0.05).unwrap();
        let limits = Limits { max_passes: 5, ..Limits::default() };
        let mut solver = SolverKind::Bmrm.build(&risk, &settings).unwrap();
        let mut state = RunState::new(&risk);
        let go_on = |_: &RunState, _: &dyn super::super::Solver| ControlFlow::Continue(());
        let stop = resume_until(solver.as_mut(), &risk, limits, &Halt::default(), &mut state, go_on).unwrap();
        assert_eq!(stop, Stop::PassLimit);
        let before = state.report().certificate.lower_bound;
        // The time is up before the next master problem begins.
        let limits = Limits { max_passes: 6, time_limit: Some(std::time::Duration::ZERO), ..limits };
        solver.heed(after(0));
        let bound = solver.step(&risk).certificate.lower_bound;
        assert!(before > 0.0 && bound >= before, "{bound} after {before}");
        let certificate = solver.finish_pass(&risk).map(|progress| progress.certificate);
        assert!(certificate.is_some_and(|certificate| certificate.lower_bound >= before), "{certificate:?}");
        assert_eq!(state.stop(&limits, ControlFlow::Continue(())), Some(Stop::TimeLimit));
    }
}
