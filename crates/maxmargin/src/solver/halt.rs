//! When to break off in the middle of a pass.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A time at which a run ends, or a flag that somebody may set. Once due, it stays due.
///
/// Solvers look at it in those parts of a pass that may take long and can be broken off: their master problems.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use maxmargin::solver::Halt;
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
    use std::path::Path;

    use super::super::{
        CheckpointDir, Identity, Limits, RunState, SolverKind, SolverSettings, Stop, resume_until, run,
    };
    use super::*;
    use crate::data::{Noise, word_images};
    use crate::risk::Risk;
    use crate::task::{Task, TaskKind, TaskOptions};

    fn after(looks: i64) -> Halt {
        Halt { looks: Some(Arc::new(looks.into())), ..Halt::default() }
    }

    fn risk(kind: TaskKind, words: usize) -> Box<dyn Risk> {
        let task = Task::new(kind, 128, 26, TaskOptions::default()).unwrap();
        let data = task.view(word_images(words, Noise::default(), 1).data).unwrap();
        task.risk(&data).unwrap()
    }

    /// Breaks a run off again and again, at all kinds of places, each time through a checkpoint, and compares the end.
    fn breaks_leave_no_trace(kind: SolverKind, risk: &dyn Risk, folder: &Path) {
        let settings = SolverSettings::new(0.05).unwrap();
        let limits = Limits { gap: 1e-15, max_passes: 30, time_limit: None };
        let whole = run(kind.build(risk, &settings).as_mut(), risk, limits, |_| ControlFlow::Continue(()));

        let checkpoint = CheckpointDir::new(&folder.join(kind.name())).unwrap();
        let identity: Identity = Vec::new();
        let (mut state, mut solver) = (RunState::new(risk.dim()), kind.build(risk, &settings));
        let mut breaks = 0;
        let stop = loop {
            let halt = after(breaks * breaks % 97 + breaks / 7);
            let stop = resume_until(solver.as_mut(), risk, limits, &halt, &mut state, |_, _| {
                if halt.is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            let certificate = state.report.certificate;
            assert!(certificate.lower_bound <= whole.report.certificate.primal, "{kind}: {certificate:?}");
            if stop != Stop::Interrupted {
                break stop;
            }
            breaks += 1;
            checkpoint.save(&identity, &state, solver.as_ref(), risk).unwrap();
            (state, solver) = checkpoint.load(&identity, risk).unwrap();
        };
        let broken = state.into_outcome(stop);
        assert!(breaks > 2, "{kind}: {breaks}");
        assert_eq!((broken.stop, broken.report.passes), (whole.stop, whole.report.passes), "{kind}");
        assert_eq!(broken.report.certificate, whole.report.certificate, "{kind}");
        assert!(broken.weights == whole.weights, "{kind}: other weights");
    }

    #[test]
    fn a_run_that_was_broken_off_ends_as_if_it_had_not_been() {
        let folder = tempfile::tempdir().unwrap();
        let risk = risk(TaskKind::Chain, 20);
        use SolverKind::{Bcfw, Bmrm, NSlack, PBmrm, ProxBmrm, ProxPBmrm};
        for kind in [Bmrm, PBmrm, ProxBmrm, ProxPBmrm, NSlack, Bcfw] {
            breaks_leave_no_trace(kind, risk.as_ref(), folder.path());
        }
    }

    #[test]
    fn the_small_qp_can_be_broken_off_too() {
        let folder = tempfile::tempdir().unwrap();
        breaks_leave_no_trace(SolverKind::SmallQp, risk(TaskKind::Multiclass, 3).as_ref(), folder.path());
    }

    #[test]
    fn a_master_problem_that_is_broken_off_at_once_still_has_a_bound() {
        let risk = risk(TaskKind::Chain, 20);
        let settings = SolverSettings::new(0.05).unwrap();
        let limits = Limits { max_passes: 5, ..Limits::default() };
        let mut solver = SolverKind::Bmrm.build(risk.as_ref(), &settings);
        let mut state = RunState::new(risk.dim());
        let go_on = |_: &RunState, _: &dyn super::super::Solver| ControlFlow::Continue(());
        let stop = resume_until(solver.as_mut(), risk.as_ref(), limits, &Halt::default(), &mut state, go_on);
        assert_eq!(stop, Stop::PassLimit);
        let before = state.report.certificate.lower_bound;
        // The time is up before the next master problem begins.
        let limits = Limits { max_passes: 6, time_limit: Some(std::time::Duration::ZERO), ..limits };
        solver.heed(after(0));
        let bound = solver.step(risk.as_ref()).certificate.lower_bound;
        assert!(before > 0.0 && bound >= before, "{bound} after {before}");
        let certificate = solver.finish_pass(risk.as_ref()).map(|progress| progress.certificate);
        assert!(certificate.is_some_and(|certificate| certificate.lower_bound >= before), "{certificate:?}");
        assert_eq!(state.stop(&limits, ControlFlow::Continue(())), Some(Stop::TimeLimit));
    }
}
