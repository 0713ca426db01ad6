//! Arrays of numbers that a matrix has for itself, or that it shares with somebody.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::error::{Error, Result};

/// The numbers that matrices are made of. Every pattern of bits is one of them, whoever writes it.
pub trait Number: Copy + Send + Sync + fmt::Debug + sealed::Sealed + 'static {}

mod sealed {
    pub trait Sealed {}
}

impl sealed::Sealed for u8 {}
impl sealed::Sealed for i32 {}
impl sealed::Sealed for u32 {}
impl sealed::Sealed for i64 {}
impl sealed::Sealed for u64 {}
impl sealed::Sealed for f32 {}
impl sealed::Sealed for f64 {}
impl<T: Copy + Send + Sync + fmt::Debug + sealed::Sealed + 'static> Number for T {}

/// An array of numbers that belongs to somebody else and is read where it is. Cheap to clone.
///
/// Whatever owns the numbers is kept until the last clone is gone.
///
/// ```
/// use std::sync::Arc;
/// use maxmargin_core::features::Shared;
/// let numbers: Arc<[f32]> = Arc::from([1.0, 2.0]);
/// let shared = Shared::from(Arc::clone(&numbers));
/// assert_eq!(shared.as_ptr(), numbers.as_ptr());
/// ```
pub struct Shared<T> {
    owner: Arc<dyn Any + Send + Sync>,
    /// The numbers are behind a pointer, not a reference: between two looks at them, others may change them.
    start: NonNull<T>,
    length: usize,
    numbers: PhantomData<[T]>,
}

// SAFETY: a `Shared` only reads, and what it reads is there as long as the owner, which may itself be sent and shared.
unsafe impl<T: Number> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Number> Sync for Shared<T> {}

impl<T: Number> Shared<T> {
    /// The numbers of an owner, which may be anything that has a slice of them.
    pub fn new<O: AsRef<[T]> + Send + Sync + 'static>(owner: O) -> Self {
        let owner = Arc::new(owner);
        let numbers: &[T] = (*owner).as_ref();
        let (start, length) = (NonNull::from(numbers).cast(), numbers.len());
        Self { owner, start, length, numbers: PhantomData }
    }

    /// The numbers at an address, of an owner that is of another language. An error if no array can be there.
    ///
    /// # Safety
    ///
    /// As long as `owner` is not dropped, `length` numbers can be read from `start` on.
    ///
    /// Others should not change them. If they do, between or during calls, results are meaningless. What is computed is
    /// still computed within bounds, or ends in a panic: nothing that was read from the array is trusted as a place in
    /// memory. (Strictly, the language leaves open what a read yields that races with a write.)
    pub unsafe fn from_raw(
        owner: Arc<dyn Any + Send + Sync>,
        start: *const T,
        length: usize,
    ) -> Result<Self> {
        let start = match NonNull::new(start.cast_mut()) {
            _ if length == 0 => NonNull::dangling(),
            None => return Err(Error::parameter("array", "there are no numbers at the address 0")),
            Some(start) if !start.is_aligned() => {
                let problem =
                    format!("the address must be a multiple of {}; copy the array", align_of::<T>());
                return Err(Error::parameter("array", problem));
            }
            Some(start) => start,
        };
        if length.checked_mul(size_of::<T>()).is_none_or(|bytes| bytes > isize::MAX as usize) {
            return Err(Error::parameter("array", format!("{length} numbers do not fit into memory")));
        }
        Ok(Self { owner, start, length, numbers: PhantomData })
    }

    /// The first so many of them.
    pub(super) fn truncated(mut self, length: usize) -> Self {
        self.length = self.length.min(length);
        self
    }
}

impl Shared<i32> {
    /// The same bits without a sign: negative numbers become large ones.
    pub(super) fn unsigned(self) -> Shared<u32> {
        Shared { owner: self.owner, start: self.start.cast(), length: self.length, numbers: PhantomData }
    }
}

impl<T: Number> Deref for Shared<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the owner is there, and with it the numbers: as `AsRef` lent them while it is not moved or mutably
        // borrowed, which nobody does to what is in this `Arc`, or as who called `from_raw` has promised.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self { owner: Arc::clone(&self.owner), start: self.start, length: self.length, numbers: PhantomData }
    }
}

impl<T> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shared({} × {})", self.length, std::any::type_name::<T>())
    }
}

impl<T: Number> From<Vec<T>> for Shared<T> {
    fn from(numbers: Vec<T>) -> Self {
        Self::new(numbers)
    }
}

impl<T: Number> From<Arc<[T]>> for Shared<T> {
    fn from(numbers: Arc<[T]>) -> Self {
        Self::new(numbers)
    }
}

/// Numbers that may grow, or that are shared and become a copy when they do.
#[derive(Debug, Clone)]
pub(super) enum Array<T> {
    Own(Vec<T>),
    Shared(Shared<T>),
}

impl<T: Number> Array<T> {
    #[inline]
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if let Array::Shared(shared) = self {
            *self = Array::Own(shared.to_vec());
        }
        match self {
            Array::Own(numbers) => numbers,
            Array::Shared(_) => unreachable!("it was just copied"),
        }
    }
}

impl<T> Default for Array<T> {
    fn default() -> Self {
        Array::Own(Vec::new())
    }
}

impl<T> From<Vec<T>> for Array<T> {
    fn from(numbers: Vec<T>) -> Self {
        Array::Own(numbers)
    }
}

impl<T: Number> Deref for Array<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Array::Own(numbers) => numbers,
            Array::Shared(shared) => shared,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_is_neither_copied_nor_dropped_too_soon() {
        struct Owner {
            numbers: Vec<f64>,
            _alive: Arc<()>,
        }
        impl AsRef<[f64]> for Owner {
            fn as_ref(&self) -> &[f64] {
                &self.numbers
            }
        }
        let alive = Arc::new(());
        let numbers = vec![1.0, 2.0, 3.0];
        let place = numbers.as_ptr();
        let shared = Shared::new(Owner { numbers, _alive: Arc::clone(&alive) });
        let part = shared.clone().truncated(2);
        assert_eq!((shared.as_ptr(), part.as_ptr()), (place, place));
        drop(shared);
        assert_eq!((&part[..], Arc::strong_count(&alive)), (&[1.0, 2.0][..], 2));
        drop(part);
        assert_eq!(Arc::strong_count(&alive), 1);
    }

    #[test]
    fn addresses_at_which_no_array_can_be_are_refused() {
        let owner = || -> Arc<dyn Any + Send + Sync> { Arc::new(()) };
        let numbers = [1.0f64, 2.0];
        let shifted = numbers.as_ptr().cast::<u8>().wrapping_add(1).cast::<f64>();
        // SAFETY: these are refused without being read, but the empty one, which has nothing to read.
        unsafe {
            assert!(Shared::<f64>::from_raw(owner(), std::ptr::null(), 2).is_err());
            assert!(Shared::from_raw(owner(), shifted, 1).is_err());
            assert!(Shared::from_raw(owner(), numbers.as_ptr(), usize::MAX / 8).is_err());
            assert!(Shared::<f64>::from_raw(owner(), std::ptr::null(), 0).unwrap().is_empty());
        }
    }
}
