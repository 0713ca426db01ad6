//! The tests of this crate, one file a promise. They are one program: linking each of them by itself takes longer than
//! running all.

#[allow(dead_code)]
#[path = "reference/hierarchies.rs"]
mod hierarchies;

mod alpha_rules_equal_a_cone_solver;
mod candidates_keep_their_word;
mod hierarchies_are_trained;
mod hierarchies_keep_their_word;
mod long_runs_come_to_an_end;
mod other_crates_write_everything;
mod part_scores_have_gradients;
mod segmentations_keep_their_word;
mod shared_norms_are_certified;
mod structures_keep_their_word;
mod the_border_is_checked;
mod weighted_sizes_are_bounded;

/// A file that is not listed would never be run.
#[test]
fn no_file_is_forgotten() {
    let listed = include_str!("promises.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "promises") else { continue };
        assert!(listed.contains(&format!("\nmod {module};")), "add `mod {module};` to tests/promises.rs");
    }
}
