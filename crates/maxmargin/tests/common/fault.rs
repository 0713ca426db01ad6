//! Ways to spoil a file.

use proptest::prelude::*;
use proptest::sample::Index;

/// One way to spoil a file.
#[derive(Debug, Clone)]
pub enum Fault {
    Truncate(Index),
    Flip(Index, u8),
    Insert(Index, Vec<u8>),
    DuplicateLine(Index),
    RemoveLine(Index),
}

/// Any way to spoil a file, most likely with bytes that mean something in text.
pub fn fault() -> impl Strategy<Value = Fault> {
    let telling = prop::sample::select(&b"\t\n\r :\\@#-+.e019qN\0\xff,;{}%?'\"<>&/="[..]);
    let inserted = prop::collection::vec(prop_oneof![telling, any::<u8>()], 1..4);
    prop_oneof![
        any::<Index>().prop_map(Fault::Truncate),
        (any::<Index>(), any::<u8>()).prop_map(|(at, mask)| Fault::Flip(at, mask)),
        (any::<Index>(), inserted).prop_map(|(at, bytes)| Fault::Insert(at, bytes)),
        any::<Index>().prop_map(Fault::DuplicateLine),
        any::<Index>().prop_map(Fault::RemoveLine),
    ]
}

/// Spoils a file.
pub fn spoil(bytes: &mut Vec<u8>, fault: &Fault) {
    if bytes.is_empty() {
        return;
    }
    let lines =
        |bytes: &[u8]| -> Vec<Vec<u8>> { bytes.split_inclusive(|&b| b == b'\n').map(Vec::from).collect() };
    match fault {
        Fault::Truncate(at) => bytes.truncate(at.index(bytes.len())),
        Fault::Flip(at, mask) => {
            let at = at.index(bytes.len());
            bytes[at] ^= mask;
        }
        Fault::Insert(at, inserted) => {
            let at = at.index(bytes.len());
            bytes.splice(at..at, inserted.iter().copied());
        }
        Fault::DuplicateLine(at) => {
            let mut lines = lines(bytes);
            let at = at.index(lines.len());
            lines.insert(at, lines[at].clone());
            *bytes = lines.concat();
        }
        Fault::RemoveLine(at) => {
            let mut lines = lines(bytes);
            lines.remove(at.index(lines.len()));
            *bytes = lines.concat();
        }
    }
}
