//! Which columns hold text: the first rows show it.
//!
//! A column is text where most of its values are no numbers. Where a few are none they are slips, and an error names the first; so
//! does one where all have decimal commas.

use std::io::Cursor;

use super::super::number::{float, has_decimal_comma};
use super::super::source::{BUFFER, Source};
use super::is_missing;
use super::records::Records;
use crate::error::Result;

/// Whether each of so many columns looks like text, in a file that begins with these bytes.
pub(super) fn look_like_text(mut start: Vec<u8>, separator: u8, columns: usize) -> Result<Vec<bool>> {
    if start.len() >= BUFFER {
        // The last line is cut off.
        start.truncate(memchr::memrchr(b'\n', &start).map_or(0, |end| end + 1));
    }
    let mut source = Source::from_reader("", Cursor::new(start))?;
    let mut records = Records::new(separator, columns + 1);
    // By how many more values are text than numbers.
    let mut balance = vec![0i64; columns];
    let mut has_header = false;
    // What is wrong with a record is said when it is read in earnest; it may also be cut off.
    while let Ok(Some(record)) = records.next(&mut source) {
        if record.is_blank() || !std::mem::replace(&mut has_header, true) {
            continue;
        }
        for (field, balance) in record.fields().zip(&mut balance) {
            let Ok(field) = field else { break };
            if !is_missing(&field.text, false) {
                let is_number = float(&field.text).is_some() || has_decimal_comma(&field.text);
                *balance += if is_number { -1 } else { 1 };
            }
        }
    }
    Ok(balance.into_iter().map(|balance| balance > 0).collect())
}
