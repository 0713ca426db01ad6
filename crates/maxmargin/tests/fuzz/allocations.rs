//! An allocator that counts, so that a test can tell how much memory something took, and how much work it was.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Nothing that is fuzzed may hold more than this, or the test ends at once: the input is on the disk.
const MOST: usize = 2 << 30;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static ASKED: AtomicUsize = AtomicUsize::new(0);

pub struct Counting;

/// Notes that so many bytes more are held; whether that may be.
fn take(size: usize) -> bool {
    let held = HELD.fetch_add(size, Relaxed) + size;
    PEAK.fetch_max(held, Relaxed);
    ASKED.fetch_add(size, Relaxed);
    if held > MOST {
        HELD.fetch_sub(size, Relaxed);
    }
    held <= MOST
}

// SAFETY: all memory comes from the system's allocator; this only counts, and sometimes says no.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match take(layout.size()) {
            // SAFETY: the caller keeps the contract of `alloc`.
            true => unsafe { System.alloc(layout) },
            false => std::ptr::null_mut(),
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match take(layout.size()) {
            // SAFETY: the caller keeps the contract of `alloc_zeroed`.
            true => unsafe { System.alloc_zeroed(layout) },
            false => std::ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`, and the place came from the system's allocator.
        unsafe { System.dealloc(place, layout) }
    }
}

/// What something took.
#[derive(Debug, Clone, Copy)]
pub struct Taken {
    /// The most bytes at once.
    pub peak: usize,
    /// The bytes of all allocations. Whatever loops, allocates.
    pub asked: usize,
}

/// Runs something and tells what it took. Other threads count as well.
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, Taken) {
    let (held, asked) = (HELD.load(Relaxed), ASKED.load(Relaxed));
    PEAK.store(held, Relaxed);
    let result = work();
    let peak = PEAK.load(Relaxed).saturating_sub(held);
    (result, Taken { peak, asked: ASKED.load(Relaxed) - asked })
}
