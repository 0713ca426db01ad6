//! Templates against what the rules of CRF++ and Wapiti say.

use std::collections::BTreeMap;

use super::*;

/// The attributes of each token, in their order.
#[derive(Default)]
struct Collected {
    numbers: BTreeMap<String, u32>,
    names: Vec<String>,
    open: Vec<(String, f64)>,
    rows: Vec<Vec<(String, f64)>>,
}

impl AttributeSink for Collected {
    fn number(&mut self, name: &str) -> Option<u32> {
        let next = self.names.len() as u32;
        if name.contains("unwanted") {
            return None;
        }
        Some(*self.numbers.entry(name.to_owned()).or_insert_with(|| {
            self.names.push(name.to_owned());
            next
        }))
    }

    fn push(&mut self, number: Option<u32>, value: f64) {
        self.open.extend(number.map(|number| (self.names[number as usize].clone(), value)));
    }

    fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.open));
    }
}

fn columns(templates: &str, count: usize) -> TextColumns {
    TextColumns { count, label: count - 1, templates: templates.to_owned(), ..TextColumns::default() }
}

fn expand(columns: TextColumns, sentence: &[&str], weighted: Weighted) -> Vec<Vec<String>> {
    let mut expander = Expander::new(Templates::new(columns).unwrap());
    let mut last = Vec::new();
    // What is remembered changes nothing.
    for _ in 0..2 {
        sentence.iter().for_each(|token| expander.push(token.split(' ')));
        let mut collected = Collected::default();
        // The second time no name is asked for.
        if last.is_empty() {
            expander.expand_for(weighted, &mut collected).unwrap();
            last = collected.rows;
        }
        expander.end();
    }
    last.into_iter().map(|row| row.into_iter().map(|(name, _)| name).collect()).collect()
}

const SENTENCE: [&str; 4] = ["He PRP", "reckons VBZ", "the DT", "deficit NN"];

#[test]
fn a_chunking_template_gives_the_attributes_of_crfpp() {
    let templates = "# Unigrams\nU00:%x[-2,0]\nU01:%x[-1,0]\nU02:%x[0,0]\nU05:%x[-1,0]/%x[0,0]\nU06:%x[0,0]/%x[1,0]\n\n\
                     U10:%x[2,1]\nU20:%x[-2,1]/%x[-1,1]/%x[0,1]\nU30:%x[-2,1]/%x[-1,1]/%x[0,1]/%x[1,1]/%x[2,1]\n\n# Bigrams\nB\n";
    let rows = expand(columns(templates, 3), &SENTENCE, Weighted::Labels);
    assert_eq!(
        rows[0],
        [
            "U00:_B-2",
            "U01:_B-1",
            "U02:He",
            "U05:_B-1/He",
            "U06:He/reckons",
            "U10:DT",
            "U20:_B-2/_B-1/PRP",
            "U30:_B-2/_B-1/PRP/VBZ/DT"
        ]
    );
    assert_eq!(
        rows[3],
        [
            "U00:reckons",
            "U01:the",
            "U02:deficit",
            "U05:the/deficit",
            "U06:deficit/_B+1",
            "U10:_B+2",
            "U20:VBZ/DT/NN",
            "U30:VBZ/DT/NN/_B+1/_B+2"
        ]
    );
}

#[test]
fn bigrams_are_apart_and_begin_at_the_second_token() {
    let templates = "U:%x[0,0]\nB01:%x[0,1]\n*02:%x[-1,1]\nB";
    assert!(Templates::new(columns(templates, 3)).unwrap().has_pair_attributes());
    assert!(!Templates::new(columns("U:%x[0,0]\nB\n", 3)).unwrap().has_pair_attributes());
    let rows = expand(columns(templates, 3), &SENTENCE[..2], Weighted::Pairs);
    assert_eq!(rows, [&[][..], &["B01:VBZ".to_owned(), "*02:PRP".to_owned()]]);
    let rows = expand(columns(templates, 3), &SENTENCE[..2], Weighted::Labels);
    assert_eq!(rows[1], ["U:reckons", "*02:PRP"]);
}

#[test]
fn wapiti_has_marks_and_commands_of_its_own() {
    let templates = "u1:%x[-1,0] # the word before\n*2:%X[0,0]\nU3:%m[0,0,\"^.?.?\"]/%t[1,0,\"^\\u\"]\nU4:%M[0,0,\"\\u*$\"]\n\
                     U5:%x[-6,0]%x[@1,0]%x[@-1,1]\nU6:%T[-1,0,\"x\"]";
    let wapiti = TextColumns { syntax: TemplateSyntax::Wapiti, ..columns(templates, 3) };
    let rows = expand(wapiti, &SENTENCE, Weighted::Labels);
    assert_eq!(rows[0], ["u1:_x-1", "*2:he", "U3:He/false", "U4:", "U5:_x-#HeNN", "U6:true"]);
    assert_eq!(rows[3], ["u1:the", "*2:deficit", "U3:de/false", "U4:", "U5:_x-3HeNN", "U6:false"]);
}

#[test]
fn words_have_letters_shapes_lists_and_values() {
    let templates = "Up:%p[0,0,3]\nUs:%S[0,word,2]\nUl:%l[0,0,-1]\nUn:%n[0,0,6]\nUh:%h[0,0]/%H[0,0]\nUg:%g[0,0,\"of\"]\n\
                     Uw:%G[0,0,\"of\",word]\nUv=%v[0,size]\nU100%%";
    let mut columns = columns(templates, 3);
    columns.names = ["word", "size", "label"].map(str::to_owned).to_vec();
    columns.gazetteers =
        vec![Gazetteer { name: "of".into(), phrases: vec!["Bank of England".into(), "England".into()] }];
    let mut expander = Expander::new(Templates::new(columns).unwrap());
    for token in ["Bank 0.5", "of 1", "England -2e3", "OF 0"] {
        expander.push(token.split(' '));
    }
    let mut collected = Collected::default();
    expander.expand(&mut collected).unwrap();
    let row = |row: usize| -> Vec<(&str, f64)> {
        collected.rows[row].iter().map(|(name, value)| (name.as_str(), *value)).collect()
    };
    let ones = |names: &[&'static str]| names.iter().map(|&name| (name, 1.0)).collect::<Vec<_>>();
    let mut bank = ones(&["Up:Ban", "Us:nk", "Ul:k", "Uh:Xxxx/Xx", "Ug:B", "Uw:1", "Uv=", "U100%"]);
    bank[6].1 = 0.5;
    assert_eq!(row(0), bank);
    let mut england = ones(&[
        "Up:Eng",
        "Us:nd",
        "Ul:d",
        "Un:Englan",
        "Un:ngland",
        "Uh:Xxxxxxx/Xx",
        "Ug:E",
        "Uw:1",
        "Uv=",
        "U100%",
    ]);
    england[8].1 = -2000.0;
    assert_eq!(row(2), england);
    let mut of = ones(&["Us:of", "Ul:F", "Uh:XX/X", "Uw:1", "Uv=", "U100%"]);
    of[4].1 = 0.0;
    assert_eq!(row(3), of);
    expander.push(["of", "much"]);
    let (token, problem) = expander.expand(&mut collected).unwrap_err();
    assert!(token == 0 && problem.contains("`much` is not a finite number"), "{problem}");
}

#[test]
fn slips_in_templates_have_their_place() {
    for (templates, part) in [
        ("", "no templates"),
        ("# U00\nB\n", "no templates"),
        ("U:%x[0,0]\nX:%x[0,0]", "templates:2:1: `X:%x[0,0]` is no template"),
        ("U:%x[0]", "templates:1:7: expected a column"),
        ("U:%x[a,0]", "`a` is not how many tokens away"),
        ("U:%x[0,2]", "is the label"),
        ("U:%x[0,3]", "there is no column 3: they are numbered from 0 to 2"),
        ("U:%x[0,word]", "columns have names only where they are given"),
        ("U:%x[1001,0]", "from -1000 to 1000"),
        ("U:%q[0,0]", "templates:1:3: %q is no command"),
        ("U:%x", "a command such as %x[0,0]"),
        ("U:%x[0,0", "`]` is missing"),
        ("U:%m[0,0,\"a\\\"]", "never closed"),
        ("U:%m[0,0]", "in quotes"),
        ("U:%t[0,0,\"*\"]", "nothing before it"),
        ("U:%p[0,0,0]", "from 1 to 64"),
        ("U:%g[0,0,\"x\"]", "no gazetteer `x`"),
        ("U:%v[0,0]%v[0,1]", "at most one %v"),
        ("U:%n[0,0,2]%n[0,1,2]", "at most one %n"),
        ("U:100%", "written %%"),
    ] {
        let message = Templates::new(columns(templates, 3)).unwrap_err().to_string();
        assert!(message.contains(part), "{templates:?}: {message}");
    }
}

/// Attributes by the rules alone, with nothing remembered.
fn plainly(sentence: &[Vec<String>], rows: &[(i64, usize)], token: usize) -> String {
    let at = |&(row, column): &(i64, usize)| match token as i64 + row {
        at if at < 0 => format!("_B{at}"),
        at if at >= sentence.len() as i64 => format!("_B+{}", at - sentence.len() as i64 + 1),
        at => sentence[at as usize][column].clone(),
    };
    format!("U:{}", rows.iter().map(at).collect::<Vec<_>>().join("/"))
}

proptest::proptest! {
    #[test]
    fn what_is_remembered_changes_nothing(
        templates in proptest::collection::vec(proptest::collection::vec((-3i64..=3, 0usize..2), 1..6), 1..5),
        sentences in proptest::collection::vec(
            proptest::collection::vec(proptest::collection::vec("[ab]{1,2}", 2), 1..6), 1..6),
    ) {
        let line = |rows: &Vec<(i64, usize)>| {
            let pieces: Vec<String> = rows.iter().map(|(row, column)| format!("%x[{row},{column}]")).collect();
            format!("U:{}\n", pieces.join("/"))
        };
        let text: String = templates.iter().map(line).collect();
        let mut expander = Expander::new(Templates::new(columns(&text, 3)).unwrap());
        let mut collected = Collected::default();
        for sentence in &sentences {
            sentence.iter().for_each(|token| expander.push(token.iter().map(String::as_str)));
            collected.rows.clear();
            expander.expand(&mut collected).unwrap();
            for (token, row) in collected.rows.iter().enumerate() {
                let expected: Vec<String> = templates.iter().map(|rows| plainly(sentence, rows, token)).collect();
                let found: Vec<String> = row.iter().map(|(name, _)| name.clone()).collect();
                proptest::prop_assert_eq!(found, expected);
            }
        }
    }
}

#[test]
fn equal_names_are_one_attribute_and_unwanted_ones_none() {
    let templates = "U:%x[-1,0]\nU:%x[1,0]\nUunwanted:%x[0,0]\n";
    let rows = expand(columns(templates, 2), &["a", "b", "a"], Weighted::Labels);
    assert_eq!(rows[1], ["U:a", "U:a"]);
}

#[test]
fn ready_made_sets_are_templates() {
    for set in READY_MADE {
        for (count, label) in [(2, 1), (3, 2), (4, 3), (3, 0), (4, 1)] {
            let templates = ready_made(set, count, label).unwrap();
            let columns = TextColumns { count, label, templates, ..TextColumns::default() };
            assert!(!Templates::new(columns).unwrap().has_pair_attributes());
        }
    }
    assert_eq!(ready_made("other", 3, 2), None);
    let text = ready_made("chunk", 3, 2).unwrap();
    assert!(
        text.starts_with("Uw[-2]=%x[-2,0]\n") && text.contains("Utag1[-2|-1|0]=%x[-2,1]|%x[-1,1]|%x[0,1]\n")
    );
}

#[test]
fn templates_of_segments_say_what_tokens_are() {
    #[derive(Default)]
    struct Keys(Vec<u64>);
    impl AttributeSink for Keys {
        fn number(&mut self, _: &str) -> Option<u32> {
            None
        }
        fn push(&mut self, _: Option<u32>, _: f64) {}
        fn segment_keys(&mut self) -> Option<&mut Vec<u64>> {
            Some(&mut self.0)
        }
        fn end_row(&mut self) {}
    }
    let keys = |sentence: &[&str]| {
        let templates = Templates::new(columns("U0=%x[0,0]\nSlow=%X[0,0]\nSsuf=%s[0,0,3]\n", 3)).unwrap();
        assert_eq!(templates.segment_templates(), 2);
        let mut expander = Expander::new(templates);
        sentence.iter().for_each(|token| expander.push(token.split(' ')));
        let mut keys = Keys::default();
        expander.expand(&mut keys).unwrap();
        keys.0
    };
    let found = keys(&["The DT", "theme NN", "the DT", "a DT"]);
    assert_eq!(found.len(), 8);
    assert_eq!(found[0], found[4], "whatever the case");
    assert_ne!(found[0], found[2]);
    // Models keep such numbers.
    assert_eq!(found[4..6], keys(&["the XX"])[..]);
    assert_eq!((found[1] == 0, found[7]), (false, 0), "no suffix of three letters");
    for wrong in ["S", "Sw=word", "Sv=%v[0,1]%x[0,0]", "Sn=%n[0,0,3]"] {
        let error = Templates::new(columns(&format!("U0=%x[0,0]\n{wrong}\n"), 3)).unwrap_err().to_string();
        assert!(error.contains("templates:2:1") && error.contains("%x[0,0]"), "{error}");
    }
}
