//! Numbers and names as tensors of a model file, and back.
//!
//! Nothing in a file is believed: shapes, sums and places are checked against each other, and what is packed may promise only
//! so much, of which no more is unpacked.

use std::borrow::Cow;
use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};

use super::weights::Entries;
use crate::data::Alphabet;
use crate::shown::excerpt;
use crate::tensor_file::Checked;

/// Name, type, shape and bytes.
pub(super) type Tensor<'a> = (String, Dtype, Vec<usize>, Cow<'a, [u8]>);

/// The rows that the first block has, where it has few.
pub(super) const ROWS: &str = "rows";
/// The number of entries in each of these rows, and their places in the row.
pub(super) const COUNTS: &str = "counts";
const COLUMNS: &str = "columns";
/// The names of attributes.
const ATTRIBUTES: &str = "attributes";

/// Names that pack better than this are not packed, and files with such names are refused: so a file can only ask for so many
/// times its size.
const MOST_PACKED: usize = 32;

/// A block whose weights that are not 0 are listed.
pub(super) fn entries_to_tensors(name: &str, entries: &Entries, single: bool) -> Vec<Tensor<'static>> {
    let Entries { rows, starts, entries } = entries;
    let (columns, values): (Vec<u32>, Vec<f64>) = entries.iter().copied().unzip();
    let (_, dtype, shape, bytes) = weights_to_tensor(name, vec![values.len()], &values, single);
    let counts: Vec<u32> = starts.windows(2).map(|ends| (ends[1] - ends[0]) as u32).collect();
    let mut tensors = vec![
        (name.to_owned(), dtype, shape, bytes.into_owned().into()),
        narrow_to_tensor(COLUMNS, &columns),
        narrow_to_tensor(COUNTS, &counts),
    ];
    if let Some(rows) = rows {
        let bytes = rows.iter().flat_map(|row| row.to_le_bytes()).collect();
        tensors.push((ROWS.to_owned(), Dtype::U32, vec![rows.len()], bytes));
    }
    tensors
}

/// Such a block with so many rows of this width.
pub(super) fn entries_from_tensors(
    tensors: &SafeTensors<'_>,
    name: &str,
    (rows, width): (usize, usize),
) -> Checked<Entries> {
    let listed = match tensors.tensor(ROWS) {
        Ok(_) => Some(ascending_rows(tensors, rows)?),
        Err(_) => None,
    };
    let (counts, columns) = (whole_numbers(tensors, COUNTS)?, whole_numbers(tensors, COLUMNS)?);
    let expected = listed.as_ref().map_or(rows, Vec::len);
    if counts.len() != expected {
        return Err(format!("the tensor {COUNTS} has {} numbers; expected {expected}", counts.len()));
    }
    let mut starts = Vec::with_capacity(counts.len() + 1);
    starts.push(0usize);
    let mut end = 0usize;
    for count in counts {
        let start = end;
        end = start.saturating_add(count as usize);
        let of_row = columns.get(start..end);
        if !of_row.is_some_and(|row| {
            row.is_sorted_by(|a, b| a < b) && row.last().is_none_or(|&last| (last as usize) < width)
        }) {
            return Err(format!("the tensor {COLUMNS} must ascend in each row, and stay below {width}"));
        }
        starts.push(end);
    }
    if end != columns.len() {
        return Err(format!("the tensor {COLUMNS} has {} numbers; expected {end}", columns.len()));
    }
    let entries: Vec<(u32, f64)> = columns.into_iter().zip(floats(tensors, name, &[end])?).collect();
    check_finite(name, entries.iter().map(|(_, weight)| weight))?;
    Ok(Entries { rows: listed, starts, entries })
}

/// The numbers of the rows that a file has, of so many.
pub(super) fn ascending_rows(tensors: &SafeTensors<'_>, all: usize) -> Checked<Vec<u32>> {
    let rows = whole_numbers(tensors, ROWS)?;
    match rows.is_sorted_by(|a, b| a < b) && rows.last().is_none_or(|&row| (row as usize) < all) {
        true => Ok(rows),
        false => Err(format!("the tensor {ROWS} must ascend, and stay below {all}")),
    }
}

/// Whole numbers in the narrowest type that holds them.
fn narrow_to_tensor(name: &str, numbers: &[u32]) -> Tensor<'static> {
    let (dtype, bytes) = match numbers.iter().max().copied().unwrap_or(0) {
        0..=0xff => (Dtype::U8, numbers.iter().map(|&number| number as u8).collect()),
        0x100..=0xffff => {
            (Dtype::U16, numbers.iter().flat_map(|&number| (number as u16).to_le_bytes()).collect())
        }
        _ => (Dtype::U32, numbers.iter().flat_map(|&number| number.to_le_bytes()).collect()),
    };
    (name.to_owned(), dtype, vec![numbers.len()], bytes)
}

/// A list of whole numbers of any width.
fn whole_numbers(tensors: &SafeTensors<'_>, name: &str) -> Checked<Vec<u32>> {
    let tensor = tensors.tensor(name).map_err(|_| format!("the tensor {name} is missing"))?;
    let data = tensor.data();
    match tensor.dtype() {
        _ if tensor.shape().len() != 1 => {}
        Dtype::U8 => return Ok(data.iter().map(|&byte| u32::from(byte)).collect()),
        Dtype::U16 => {
            return Ok(data.as_chunks().0.iter().map(|&two| u32::from(u16::from_le_bytes(two))).collect());
        }
        Dtype::U32 => return Ok(data.as_chunks().0.iter().map(|&four| u32::from_le_bytes(four)).collect()),
        _ => {}
    }
    Err(format!("the tensor {name} is not a list of whole numbers"))
}

/// Weights in double or in single precision.
pub(super) fn weights_to_tensor<'a>(
    name: &str,
    shape: Vec<usize>,
    weights: &'a [f64],
    single: bool,
) -> Tensor<'a> {
    if single {
        let bytes = weights.iter().flat_map(|&weight| (weight as f32).to_le_bytes()).collect();
        return (name.to_owned(), Dtype::F32, shape, bytes);
    }
    // Most machines have numbers as the file has them: a large model is not copied.
    let bytes = match cfg!(target_endian = "little") {
        true => Cow::Borrowed(bytemuck::cast_slice(weights)),
        false => weights.iter().flat_map(|number| number.to_le_bytes()).collect(),
    };
    (name.to_owned(), Dtype::F64, shape, bytes)
}

/// The numbers in a tensor, which must have this shape and be finite.
pub(super) fn numbers(tensors: &SafeTensors<'_>, name: &str, shape: &[usize]) -> Checked<Vec<f64>> {
    let numbers: Vec<f64> = floats(tensors, name, shape)?.collect();
    check_finite(name, numbers.iter())?;
    Ok(numbers)
}

/// The numbers in a tensor, which must have this shape.
fn floats<'a>(
    tensors: &SafeTensors<'a>,
    name: &str,
    shape: &[usize],
) -> Checked<impl Iterator<Item = f64> + 'a> {
    let tensor = tensors.tensor(name).map_err(|_| format!("the tensor {name} is missing"))?;
    let kind = tensor.dtype();
    if !matches!(kind, Dtype::F64 | Dtype::F32) || tensor.shape() != shape {
        let found = format!("{:?}", tensor.shape());
        return Err(format!("the tensor {name} is {kind:?} {}; expected F64 {shape:?}", excerpt(&found)));
    }
    let number = |bytes: &[u8]| match *bytes {
        [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => f64::NAN,
    };
    Ok(tensor.data().chunks_exact(kind.bitsize() / 8).map(number))
}

fn check_finite<'a>(name: &str, numbers: impl Iterator<Item = &'a f64>) -> Checked<()> {
    match numbers.enumerate().find(|(_, number)| !number.is_finite()) {
        Some((i, number)) => {
            Err(format!("the tensor {name} holds {number} at place {i}; weights are finite"))
        }
        None => Ok(()),
    }
}

/// Names one a line, packed where that is worth it; then also how many bytes they are unpacked.
pub(super) fn names_to_tensor(names: &Alphabet) -> Checked<(Tensor<'_>, Option<usize>)> {
    let plain = names.lines().as_bytes();
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let packed = encoder.write_all(plain).and_then(|()| encoder.finish()).map_err(|e| e.to_string())?;
    let is_worthwhile = packed.len() < plain.len() && plain.len() / MOST_PACKED <= packed.len();
    let (bytes, unpacked) = match is_worthwhile {
        true => (Cow::Owned(packed), Some(plain.len())),
        false => (Cow::Borrowed(plain), None),
    };
    Ok(((ATTRIBUTES.to_owned(), Dtype::U8, vec![bytes.len()], bytes), unpacked))
}

/// So many names, which are packed where it is said how many bytes they are unpacked.
pub(super) fn names_from_tensor(
    tensors: &SafeTensors<'_>,
    count: usize,
    unpacked: Option<usize>,
) -> Checked<Alphabet> {
    let tensor = tensors.tensor(ATTRIBUTES).map_err(|_| format!("the tensor {ATTRIBUTES} is missing"))?;
    if tensor.dtype() != Dtype::U8 || tensor.shape().len() != 1 {
        return Err(format!("the tensor {ATTRIBUTES} is not a list of bytes"));
    }
    let text = match unpacked {
        Some(length) => unpack(&tensor, length)?,
        None => tensor.data().to_vec(),
    };
    let text = String::from_utf8(text).map_err(|_| "the names of attributes are not UTF-8")?;
    let names = match count == 0 && text.is_empty() {
        true => Alphabet::default(),
        false => Alphabet::from_lines(text, count).ok_or("two attributes have the same name")?,
    };
    match names.len() == count {
        true => Ok(names),
        false => Err(format!("{} names of attributes, but the description says {count}", names.len())),
    }
}

/// Unpacks bytes, which must be so many.
fn unpack(tensor: &TensorView<'_>, length: usize) -> Checked<Vec<u8>> {
    let packed = tensor.data();
    if length / MOST_PACKED > packed.len() {
        return Err(format!("the tensor {ATTRIBUTES} promises {length} bytes, more than it can hold"));
    }
    let mut text = Vec::new();
    // One byte more shows whether there are too many, and is where the last line feed goes.
    text.try_reserve_exact(length + 1).map_err(|_| "there is not enough memory for the names")?;
    let mut unpacking = Decompress::new(true);
    let status = unpacking.decompress_vec(packed, &mut text, FlushDecompress::Finish);
    let is_whole = text.len() == length && unpacking.total_in() == packed.len() as u64;
    match status {
        Ok(Status::StreamEnd) if is_whole => Ok(text),
        _ => Err(format!("the tensor {ATTRIBUTES} is not {length} bytes packed by zlib")),
    }
}
