//! The idx format of MNIST: images in one file, their labels in another.
//!
//! All numbers are big-endian. An image file is the magic number 2051, the number of images, their height and their
//! width (32 bits each), then a byte for each pixel, row by row. A label file is the magic number 2049, the number of
//! labels, then a byte for each. The labels of `train-images-idx3-ubyte.gz` are looked for beside it as
//! `train-labels-idx1-ubyte`, with and without `.gz`.
//!
//! A pixel is read as `byte / 255`, and the labels' names are the numbers from `0` to the largest. What the header
//! promises is never believed: memory is taken as bytes arrive, and a byte too few or too many is an error.

use std::path::{Path, PathBuf};

use super::dataset_builder::DatasetBuilder;
use super::source::Source;
use crate::error::Result;
use crate::shown::escaped_path;

const IMAGES: u32 = 2051;
const LABELS: u32 = 2049;

/// Reads the images to the end of their file. Without labels all rows have none.
pub(crate) fn read(
    images: &mut Source,
    labels: Option<&mut Source>,
    data: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let [count, height, width] = header(images, IMAGES)?;
    let pixels = match u64::from(height) * u64::from(width) {
        0 => return Err(images.error(format!("the header promises images of {height}×{width} pixels"))),
        pixels if pixels >= u64::from(u32::MAX) => {
            return Err(images.error(format!("images of {height}×{width} pixels are too large")));
        }
        pixels => pixels,
    };
    data.set_columns(pixels as usize).map_err(|problem| images.error(problem))?;
    // At most 2³² images of less than 2³² pixels each: no overflow.
    let promised = u64::from(count) * pixels;
    let read = images.read_bytes(promised, data.images())?;
    if read < promised {
        let problem = format!(
            "the header promises {count} images of {height}×{width} pixels, but the file ends after {}",
            read / pixels
        );
        return Err(images.error(problem));
    }
    refuse_more(images, &format!("{count} images of {height}×{width} pixels"))?;
    match labels {
        Some(labels) => read_labels(labels, count, images.path(), data)?,
        None => (0..count).for_each(|_| data.no_label()),
    }
    (0..count).for_each(|_| data.end_example(1.0, None));
    Ok(())
}

fn read_labels(source: &mut Source, images: u32, path: &Path, data: &mut DatasetBuilder<'_>) -> Result<()> {
    let [count] = header(source, LABELS)?;
    if count != images {
        let problem = format!("{count} labels, but {} holds {images} images", escaped_path(path));
        return Err(source.error(problem));
    }
    let mut labels = Vec::new();
    let read = source.read_bytes(u64::from(count), &mut labels)?;
    if read < u64::from(count) {
        let problem = format!("the header promises {count} labels, but the file ends after {read}");
        return Err(source.error(problem));
    }
    refuse_more(source, &format!("{count} labels"))?;
    let names: Vec<String> =
        (0..=labels.iter().copied().max().unwrap_or(0)).map(|label| label.to_string()).collect();
    names.iter().for_each(|name| data.know_label(name));
    for label in labels {
        data.label(&names[usize::from(label)]);
    }
    Ok(())
}

/// Checks the magic number and returns the numbers after it.
fn header<const N: usize>(source: &mut Source, expected: u32) -> Result<[u32; N]> {
    let mut bytes = Vec::new();
    source.read_bytes(4 * (N as u64 + 1), &mut bytes)?;
    let mut words =
        bytes.chunks_exact(4).map(|word| word.iter().fold(0, |sum, &byte| sum << 8 | u32::from(byte)));
    let problem = match (words.next(), expected) {
        (Some(magic), _) if magic == expected => {
            let mut numbers = [0; N];
            if numbers.iter_mut().all(|number| words.next().map(|word| *number = word).is_some()) {
                return Ok(numbers);
            }
            "the file ends inside its header".to_owned()
        }
        (Some(LABELS), IMAGES) => "these are labels: give the file with the images here".to_owned(),
        (Some(IMAGES), LABELS) => "these are images: give the file with the labels here".to_owned(),
        (Some(magic), _) => format!("magic number {magic}, but idx files of this kind begin with {expected}"),
        (None, _) => "the file is too short for an idx header".to_owned(),
    };
    Err(source.error(problem))
}

fn refuse_more(source: &mut Source, promised: &str) -> Result<()> {
    match source.read_bytes(1, &mut Vec::new())? {
        0 => Ok(()),
        _ => Err(source.error(format!("more bytes follow after the {promised} that the header promises"))),
    }
}

/// Whether a file that begins with these bytes is of this format.
pub(crate) fn recognise(start: &[u8]) -> bool {
    // The first two bytes of every idx file are 0; text never holds them.
    start.starts_with(&[0, 0])
}

/// The files beside `images` that may hold its labels, most likely first; none when its name is not a usual one.
pub(crate) fn labels_beside(images: &Path) -> Vec<PathBuf> {
    let Some(name) = images.file_name().and_then(|name| name.to_str()) else {
        return Vec::new();
    };
    let labels = name.replace("images", "labels").replace("idx3", "idx1");
    if labels == name {
        return Vec::new();
    }
    let other = match labels.strip_suffix(".gz") {
        Some(plain) => plain.to_owned(),
        None => format!("{labels}.gz"),
    };
    [labels, other].iter().map(|name| images.with_file_name(name)).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::super::dataset::{Dataset, Vocabulary};
    use super::*;
    use crate::structure::UNKNOWN_LABEL;

    fn idx(magic: u32, sizes: &[u32], bytes: &[u8]) -> Vec<u8> {
        let words = [magic].into_iter().chain(sizes.iter().copied());
        words.flat_map(u32::to_be_bytes).chain(bytes.iter().copied()).collect()
    }

    fn parse(images: Vec<u8>, labels: Option<Vec<u8>>) -> Result<(Dataset, Vocabulary)> {
        let mut data = DatasetBuilder::growing(false);
        let mut labels = labels.map(|labels| Source::from_reader("labels", Cursor::new(labels)).unwrap());
        read(&mut Source::from_reader("images", Cursor::new(images))?, labels.as_mut(), &mut data)?;
        let (data, vocabulary, _) = data.finish();
        Ok((data, vocabulary.unwrap()))
    }

    #[test]
    fn pixels_and_labels() {
        let (data, names) =
            parse(idx(IMAGES, &[2, 1, 2], &[255, 51, 1, 2]), Some(idx(LABELS, &[2], &[3, 0]))).unwrap();
        assert_eq!(names.labels.iter().collect::<Vec<_>>(), ["0", "1", "2", "3"]);
        assert_eq!(data.labels, [3, 0]);
        assert_eq!(data.len(), 2);
        assert_eq!(data.features.row(0).to_pairs(), [(0, 255.0 * (1.0 / 255.0)), (1, 51.0 * (1.0 / 255.0))]);
        let (data, _) = parse(idx(IMAGES, &[1, 2, 2], &[0, 0, 0, 9]), None).unwrap();
        assert_eq!(data.labels, [UNKNOWN_LABEL]);
        assert_eq!(data.features.row(0).to_pairs(), [(3, 9.0 * (1.0 / 255.0))]);
    }

    #[test]
    fn a_header_is_never_believed() {
        for (images, labels, part) in [
            (idx(IMAGES, &[u32::MAX, 28, 28], &[0; 1000]), None, "ends after 1"),
            (idx(IMAGES, &[u32::MAX, u32::MAX, u32::MAX], &[]), None, "too large"),
            (idx(IMAGES, &[1, 0, 9], &[]), None, "0×9"),
            (idx(IMAGES, &[1, 1, 1], &[1, 2]), None, "more bytes follow"),
            (idx(IMAGES, &[1], &[]), None, "inside its header"),
            (idx(2052, &[1, 1, 1], &[0]), None, "2052"),
            (idx(LABELS, &[1], &[0]), None, "images here"),
            (vec![0, 0, 8], None, "too short"),
            (idx(IMAGES, &[1, 1, 1], &[0]), Some(idx(LABELS, &[2], &[0, 1])), "2 labels, but images holds 1"),
            (idx(IMAGES, &[1, 1, 1], &[0]), Some(idx(LABELS, &[1], &[])), "ends after 0"),
            (idx(IMAGES, &[1, 1, 1], &[0]), Some(idx(LABELS, &[1], &[0, 0])), "more bytes follow"),
            (idx(IMAGES, &[1, 1, 1], &[0]), Some(idx(IMAGES, &[1, 1, 1], &[0])), "labels here"),
        ] {
            let message = parse(images, labels).unwrap_err().to_string();
            assert!(message.contains(part), "{message:?} lacks {part:?}");
        }
    }

    #[test]
    fn labels_lie_beside_images() {
        let beside = labels_beside(Path::new("dir/t10k-images-idx3-ubyte.gz"));
        assert_eq!(
            beside,
            [
                Path::new("dir/t10k-labels-idx1-ubyte.gz").to_owned(),
                Path::new("dir/t10k-labels-idx1-ubyte").to_owned()
            ]
        );
        assert_eq!(labels_beside(Path::new("digits.bin")), Vec::<PathBuf>::new());
    }
}
