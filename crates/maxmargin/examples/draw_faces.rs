//! Draws faces into a folder, as pictures (PGM) and a table of their points.
//!
//! ```text
//! cargo run --release --example draw_faces -- FOLDER COUNT SEED
//! maxmargin train landmarks --train FOLDER/faces.csv --lambda 1 --model faces.model
//! ```

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

use maxmargin::tasks::landmarks::faces::{POINTS, SIDE, draw};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, count, seed] = &arguments[..] else { return Err("needed: FOLDER COUNT SEED".into()) };
    let folder = PathBuf::from(folder);
    std::fs::create_dir_all(&folder)?;
    let mut table = std::io::BufWriter::new(std::fs::File::create(folder.join("faces.csv"))?);
    let columns: Vec<String> = POINTS.iter().map(|name| format!("{name}_x,{name}_y")).collect();
    writeln!(table, "file,left,top,width,height,{}", columns.join(","))?;
    for (number, face) in draw(count.parse()?, seed.parse()?).enumerate() {
        let file = format!("{number}.pgm");
        let mut picture = format!("P5 {SIDE} {SIDE} 255\n").into_bytes();
        picture.extend(&face.pixels);
        std::fs::write(folder.join(&file), picture)?;
        let [left, top, width, height] = face.bounds;
        let points: Vec<String> = face.points.iter().map(|(x, y)| format!("{x},{y}")).collect();
        writeln!(table, "{file},{left},{top},{width},{height},{}", points.join(","))?;
    }
    table.flush()?;
    Ok(())
}
