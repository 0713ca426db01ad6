//! How a command runs: on how many threads, and how much it says.

use anyhow::Result;
use clap::Args;
use rayon::ThreadPoolBuilder;

/// How a command that uses a model runs.
#[derive(Debug, Clone, Copy, Args)]
pub struct RunArguments {
    /// Threads; all cores when it is not given. The output is the same for any number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Say nothing but errors and what was asked for
    #[arg(long, short)]
    pub quiet: bool,
}

impl RunArguments {
    /// Runs `work` on as many threads as were asked for.
    pub fn on_threads<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        on_threads(self.threads, |_| work())
    }
}

/// Runs `work` on so many threads, or one for each core, and tells it the number.
pub fn on_threads<T: Send>(threads: Option<u16>, work: impl FnOnce(usize) -> Result<T> + Send) -> Result<T> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0).into()).build()?;
    let threads = pool.current_num_threads();
    pool.install(|| work(threads))
}
