//! All searches side by side, while one of them drives a run (SLACK Table 1, THESIS Table 5.1).
//!
//! A [`ComparedSearch`] is a search like any other, and what it answers is what its driving search answers. On some examples it
//! tries all the others too, and keeps count of what each found ([`SearchStatistics`]) and of the way it took ([`Portrait`]).

mod compared_search;
mod contest;
mod portrait;
mod statistics;

pub use self::compared_search::{ComparedSearch, SearchComparison, Subject};
pub use self::portrait::{Portrait, SearchPath};
pub use self::statistics::{SearchStatistics, Totals};
