//! Numbers and lines for people.
//!
//! Text may hold labels and names of files, and these may hold characters that a terminal obeys. What is printed for people
//! has them written out, whatever put them there; JSON is for machines and has its own way.

use std::io::{self, Write};

use anyhow::{Result, anyhow};
use maxmargin::escaped;
pub use maxmargin::shown::{bytes, count, lower, number, percent, short_lower, short_upper, time, upper};
use serde_json::Value;

/// Prints on standard output, all at once.
pub fn say(text: &str) -> Result<()> {
    write_out(&harmless(text))
}

/// Prints a JSON object on a line of standard output.
pub fn say_json(object: &Value) -> Result<()> {
    write_out(&format!("{object}\n"))
}

fn write_out(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(anyhow!("cannot write the output: {e}")),
        result => Ok(result?),
    }
}

/// Prints a line on standard error. When nobody reads it, that is all right.
pub fn note(line: &str) {
    let _ = writeln!(io::stderr(), "{}", harmless(line));
}

/// The text with everything written out that a terminal obeys, but for line feeds.
fn harmless(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| escaped(line).to_string()).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_that_a_terminal_obeys() {
        assert_eq!(harmless("a\u{1b}[2J\nb\r\u{202e}\n"), "a\\u{1b}[2J\nb\\r\\u{202e}\n");
        assert_eq!(harmless("λ ≤ 1 | ü\n\n"), "λ ≤ 1 | ü\n\n");
    }
}
