//! Ways to spoil a file: some that know nothing of it, some that know text, numbers, headers and gzip.

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

use crate::common::gz;

/// No input is longer before it is packed.
const LONGEST: usize = 1 << 20;

/// Numbers at the ends of what types hold, and what is nearly a number.
const NUMBERS: [&str; 34] = [
    "0",
    "-0",
    "1",
    "-1",
    "+1",
    "2",
    "255",
    "256",
    "65536",
    "1048575",
    "1048576",
    "2147483648",
    "4294967294",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e400",
    "-1e400",
    "1e308",
    "-1e308",
    "1e-400",
    "4.9e-324",
    "1e39",
    "nan",
    "-inf",
    "0x10",
    "1_000",
    ".",
    "1.",
    "00000000000000000000000000000007",
    "1e18446744073709551616",
];

/// What formats are made of, and what a terminal would obey.
const WORDS: [&str; 64] = [
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "\t",
    " ",
    ",",
    ";",
    ":",
    "#",
    "%",
    "?",
    "@",
    "\\",
    "\\:",
    "\\\\",
    "'",
    "\"",
    "\"\"",
    "{",
    "}",
    "{}",
    "{0,1}",
    "{a,'b c'}",
    "[",
    "]",
    "[]",
    "null",
    "true",
    "<",
    ">",
    "/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "<label name='",
    "<labels>",
    "</labels>",
    "&amp;",
    "&#27;",
    "&#x202e;",
    "&#0;",
    "&",
    "@relation 'x: -C 2'",
    "@relation x -C -9223372036854775808",
    "@attribute a numeric\n",
    "@attribute a {0,1}\n",
    "@data\n",
    "@weight:",
    "@example weight=",
    "unreachable=",
    "qid:1 ",
    "cost:2 ",
    "0 0 sure a:1\n",
    "<s snum=1> a </s>\n",
    "0-0 ",
    "1 1 1 S\n",
    "\u{feff}",
    "\u{1b}[31m",
    "\u{9b}2J",
    "\u{202e}",
    "\u{2066}",
    "\0",
    "é",
];

/// Spoils a file a few times.
pub fn mutate(bytes: &[u8], others: &[&[u8]], random: &mut Pcg64Mcg) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 << random.random_range(0..3) {
        once(&mut bytes, others, random);
        bytes.truncate(LONGEST);
    }
    bytes
}

/// Packs a file, in one member or two, and may spoil the pack.
pub fn pack(bytes: &[u8], random: &mut Pcg64Mcg) -> Vec<u8> {
    let cut = random.random_range(0..=bytes.len());
    let mut packed = match random.random_bool(0.5) {
        true => gz(bytes),
        false => [gz(&bytes[..cut]), gz(&bytes[cut..])].concat(),
    };
    if random.random_bool(0.3) {
        once(&mut packed, &[], random);
    }
    packed
}

fn once(bytes: &mut Vec<u8>, others: &[&[u8]], random: &mut Pcg64Mcg) {
    let (start, end) = range(bytes.len(), random);
    match random.random_range(0..18) {
        0 => bytes.truncate(start),
        1 => _ = bytes.drain(start..end),
        2 | 3 if start < bytes.len() => bytes[start] ^= 1 << random.random_range(0..8),
        4 if start < bytes.len() => bytes[start] = random.random(),
        5..=7 => insert(bytes, start, pick(&WORDS, random).as_bytes()),
        8 => insert(bytes, start, pick(&NUMBERS, random).as_bytes()),
        // A number by another one.
        9..=11 => {
            let (start, end) = around(bytes, start, |byte| byte.is_ascii_digit() || b"+-.".contains(&byte));
            bytes.splice(start..end, pick(&NUMBERS, random).bytes());
        }
        // A word by another one of the file.
        12 => {
            let (from, to) = around(bytes, end, |byte| !byte.is_ascii_whitespace());
            let word = bytes[from..to].to_vec();
            let (start, end) = around(bytes, start, |byte| !byte.is_ascii_whitespace());
            bytes.splice(start..end, word);
        }
        // A line that goes, moves or comes again.
        13 | 14 => {
            let mut lines: Vec<Vec<u8>> =
                bytes.split_inclusive(|&byte| byte == b'\n').map(Vec::from).collect();
            if !lines.is_empty() {
                let (i, j) = (random.random_range(0..lines.len()), random.random_range(0..lines.len()));
                match random.random_range(0..3) {
                    0 => lines.swap(i, j),
                    1 => _ = lines.remove(i),
                    _ => lines.insert(i, lines[j].clone()),
                }
            }
            *bytes = lines.concat();
        }
        // Something over and over.
        15 => {
            let part = bytes[start..end.min(start + 40)].to_vec();
            insert(bytes, start, &part.repeat(1 << random.random_range(0..10)));
        }
        // A part of another file.
        16 if !others.is_empty() => {
            let other = pick(others, random);
            let (from, to) = range(other.len(), random);
            insert(bytes, start, &other[from..to]);
        }
        // A whole number as binary files have them.
        _ => {
            let number =
                [0, 1, 255, u32::MAX - 1, u32::MAX, 1 << 31, random.random()][random.random_range(0..7)];
            let number = if random.random_bool(0.5) { number.to_be_bytes() } else { number.to_le_bytes() };
            let start = start & !3;
            for (to, from) in bytes[start..].iter_mut().zip(number) {
                *to = from;
            }
        }
    }
}

fn pick<T: Copy>(from: &[T], random: &mut Pcg64Mcg) -> T {
    from[random.random_range(0..from.len())]
}

fn insert(bytes: &mut Vec<u8>, at: usize, what: &[u8]) {
    bytes.splice(at..at, what.iter().copied());
}

/// A part of so many bytes, mostly a short one; it may be empty.
fn range(length: usize, random: &mut Pcg64Mcg) -> (usize, usize) {
    let start = random.random_range(0..=length);
    let most = if random.random_bool(0.8) { 8 } else { length };
    (start, start + random.random_range(0..=most.min(length - start)))
}

/// The bytes of a kind around a place, or after it.
fn around(bytes: &[u8], at: usize, is: impl Fn(u8) -> bool) -> (usize, usize) {
    let at = at + bytes[at..].iter().position(|&byte| is(byte)).unwrap_or(bytes.len() - at);
    let start = bytes[..at].iter().rposition(|&byte| !is(byte)).map_or(0, |before| before + 1);
    let end = bytes[at..].iter().position(|&byte| !is(byte)).map_or(bytes.len(), |length| at + length);
    (start, end)
}
