//! Pictures in files: SVG and PNG, told by the ending of the name.
//!
//! Text in SVG is left to whoever shows it, as sans-serif; in PNG it is set in DejaVu Sans, which is compiled in, so that
//! no fonts need to be installed.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use maxmargin::{Error, OutputFile};
use plotters::coord::Shift;
use plotters::prelude::*;

use super::FONT;

/// A file to draw to. Its ending tells the format.
#[derive(Debug, Clone)]
pub struct FigureFile {
    /// Where it is.
    pub path: PathBuf,
    format: FigureFormat,
}

#[derive(Debug, Clone, Copy)]
enum FigureFormat {
    Svg,
    Png,
}

impl FigureFile {
    /// Refuses endings other than .svg and .png.
    pub fn new(path: PathBuf) -> Result<Self, &'static str> {
        let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
        let format = match ending.as_ref().and_then(|ending| ending.to_str()) {
            Some("svg") => FigureFormat::Svg,
            Some("png") => FigureFormat::Png,
            _ => return Err("the name of a figure ends in .svg or .png"),
        };
        Ok(Self { path, format })
    }
}

/// What drawing on a backend results in.
pub type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// Something that can be drawn.
pub trait Picture {
    /// Width and height in pixels of PNG. SVG is shown at half the size, since plotters rounds to whole pixels, which
    /// would make curves uneven.
    fn size(&self) -> (u32, u32);

    /// Draws everything.
    fn draw_parts<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B>;

    /// Draws to a file.
    fn save(&self, file: &FigureFile) -> Result<()> {
        let bytes = match file.format {
            FigureFormat::Svg => self.svg()?.into_bytes(),
            FigureFormat::Png => self.png()?,
        };
        let mut output = OutputFile::create(&file.path)?;
        output.write_all(&bytes).map_err(|e| Error::io("write", &file.path, e))?;
        Ok(output.finish()?)
    }

    /// The text of an SVG file.
    fn svg(&self) -> Result<String> {
        let mut text = String::new();
        let (width, height) = self.size();
        draw(self, SVGBackend::with_string(&mut text, (width, height)).into_drawing_area())?;
        let size = |width, height| format!("width=\"{width}\" height=\"{height}\" viewBox");
        Ok(text.replacen(&size(width, height), &size(width / 2, height / 2), 1))
    }

    /// The bytes of a PNG file.
    fn png(&self) -> Result<Vec<u8>> {
        let (width, height) = self.size();
        let mut pixels = vec![0; 3 * width as usize * height as usize];
        draw(self, BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area())?;
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header()?.write_image_data(&pixels)?;
        Ok(bytes)
    }
}

fn draw<B: DrawingBackend>(picture: &(impl Picture + ?Sized), area: DrawingArea<B, Shift>) -> Result<()> {
    // Layout needs the widths of texts, in SVG too.
    plotters::style::register_font(FONT, FontStyle::Normal, dejavu::sans::regular())
        .map_err(|_| anyhow!("cannot draw: the font is damaged"))?;
    picture.draw_parts(&area).map_err(|e| anyhow!("cannot draw: {e}"))
}
