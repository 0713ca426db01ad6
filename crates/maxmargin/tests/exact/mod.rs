//! The referee: what a certificate says, computed again without rounding.
//!
//! Every `f64` of the data, of λ, of weights and costs is the exact number that its bits are. Margin and slack rescaling,
//! their kin with whole exponents, and Micro-F1 are then rational numbers, computed exactly. log(1 + e^h), Φ and g^β with
//! other exponents are enclosed in intervals that are rounded outward to [`interval::BITS`] bits. Nothing here calls a
//! function of the platform, and nothing shares code with the library.
#![allow(dead_code)]

pub mod docket;
pub mod dyadic;
pub mod functions;
pub mod hierarchy;
pub mod hostile;
pub mod interval;
pub mod judge;
pub mod objective;
pub mod optimum;
pub mod rational;
pub mod segments;
