//! The shared norm (THESIS 6.6): weights α that the data choose, and what the joint problem of weights and α is bounded by.
//!
//! With q_n = ‖U_n‖² the norm is min Σ q_n/α_n over A = {α ≥ 0, Σ_{n∈Ā(l)} α_n ≤ 1 for each leaf l}.
