//! The tests of this crate, one file a promise. They are one program: linking each of them by itself takes longer than
//! running all.

mod common;
mod exact;
#[allow(dead_code)]
#[path = "../../maxmargin-core/tests/reference/hierarchies.rs"]
mod hierarchies;
#[path = "../../maxmargin-core/tests/reference/local_polytope.rs"]
mod local_polytope;
#[allow(dead_code)]
#[path = "../../maxmargin-core/tests/reference/networks.rs"]
mod networks;

mod adversarial_label_planes;
mod alignments_name_the_place;
mod alignments_reach_one_optimum;
mod anchors_hold_nothing_back;
mod another_crates_task;
mod associations_keep_their_word;
mod auto_keeps_to_its_rule;
mod candidates_are_learnt;
mod candidates_survive_cancellation;
mod certificates_are_rigorous;
mod certificates_survive_cancellation;
mod checkpoints_go_on;
mod confidences_equal_enumeration;
mod decoders_equal_enumeration;
mod examples_are_valid;
mod flows_equal_labels;
mod functions_of_the_platform;
mod hierarchies_agree_with_the_readmes;
mod hierarchies_survive_cancellation;
mod hierarchy_rules_are_chosen;
mod images_name_the_place;
mod known_optima;
mod label_sets_agree_with_the_readmes;
mod label_sets_name_the_place;
mod label_sets_round_trip;
mod lambda_is_chosen;
mod models_come_back;
mod pair_attributes_are_learnt;
mod papers_misprints;
mod planes_are_lower_bounds;
mod readers_agree_with_the_readmes;
mod readers_name_the_place;
mod readers_round_trip;
mod relaxed_searches_equal_the_polytope;
mod saddle_points_agree;
mod scores_from_elsewhere;
mod searches_equal_enumeration;
mod segments_survive_cancellation;
mod shared_arrays_change_nothing;
mod solvers_agree;
mod surrogates_keep_their_word;
mod surrogates_train_to_the_optimum;
mod tasks_refuse_other_data;
mod the_border_is_checked;
mod the_qp_equals_a_reference;
mod threads_do_not_matter;
mod thresholds_are_tuned;
mod warm_starts_save_work;
mod weights_are_copies;
mod word_graphs_keep_their_word;

/// A file that is not listed would never be run.
#[test]
fn no_file_is_forgotten() {
    let listed = include_str!("promises.rs");
    // What looks at the whole process is a program of its own.
    let alone = ["no_file_does_harm", "readers_spare_memory", "solvers_share_a_pool"];
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "promises") else { continue };
        assert!(
            listed.contains(&format!("\nmod {module};")) || alone.contains(&module),
            "add `mod {module};` to tests/promises.rs"
        );
    }
}
