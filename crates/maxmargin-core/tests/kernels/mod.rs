//! Referees of the kernels, which are no part of the public interface: unit tests of `inference`, one file a promise.

#[path = "../reference/fields.rs"]
mod random_fields;

mod fields;
mod matchings;
mod projections;
mod strange_numbers;
mod vertices;
