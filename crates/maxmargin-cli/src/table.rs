//! Tables in Markdown, with columns that line up in a terminal too. Cells may be labels: long ones are cut, and what a
//! terminal would obey is written out.

use maxmargin::excerpt;

/// A table in the making.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column headings. The first column is text, the others are numbers.
    pub fn new(header: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { rows: vec![header.into_iter().map(Into::into).collect()] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(|cell| excerpt(&cell.into()).to_string()).collect());
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let cell = |row: &Vec<String>, column: usize| row.get(column).cloned().unwrap_or_default();
        let width = |column| self.rows.iter().map(|row| cell(row, column).chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(|column| width(column).max(3)).collect();
        for (i, row) in self.rows.iter().enumerate() {
            for (column, &width) in widths.iter().enumerate() {
                let text = cell(row, column);
                if column == 0 { write!(f, "| {text:<width$} ")? } else { write!(f, "| {text:>width$} ")? }
            }
            writeln!(f, "|")?;
            if i == 0 {
                for (column, &width) in widths.iter().enumerate() {
                    let line = "-".repeat(width - 1);
                    if column == 0 { write!(f, "| {line}- ")? } else { write!(f, "| {line}: ")? }
                }
                writeln!(f, "|")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(["λ", "passes"]);
        table.row(["0.001", "7"]);
        assert_eq!(table.to_string(), "| λ     | passes |\n| ----- | -----: |\n| 0.001 |      7 |\n");
        let mut table = Table::new(["label", "F1"]);
        table.row(["\u{1b}[1m\n", "1"]);
        assert_eq!(
            table.to_string(),
            "| label       |  F1 |\n| ----------- | --: |\n| \\u{1b}[1m\\n |   1 |\n"
        );
    }
}
