//! The tests of this crate, one file a promise. They are one program: linking each of them by itself takes longer than
//! running all.

mod common;

mod a_killed_run_goes_on;
mod candidates_go_round;
mod columns_go_round;
mod commands_work_together;
mod errors_name_the_place;
mod figures_show_every_solver;
mod habits_are_kept;
mod hierarchies_go_round;
mod hostile_files_do_no_harm;
mod label_sets_go_round;
mod labels_are_not_mistaken;
mod lambda_is_chosen;
mod landmarks_go_round;
mod matchings_go_round;
mod models_are_looked_into;
mod networks_go_round;
mod nothing_is_silent;
mod orders_go_round;
mod outputs_spare_inputs;
mod own_leaves_stay_inside;
mod pages_name_packages;
mod pipes_are_read_once;
mod rare_labels_count_more;
mod readme_is_true;
mod searches_are_compared;
mod segments_go_round;
mod sentences_go_round;
mod signals_save_what_was_found;
mod streams_are_answered;
mod tables_are_classified;
mod trees_go_round;
mod unproven_predictions_say_so;
mod weights_are_of_seen_pairs;

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
