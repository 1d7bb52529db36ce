//! The table at the end: one row per measurement, peers beside it.

/// One row.
pub struct Row {
    pub work: String,
    pub who: String,
    pub figure: String,
    pub cpu: String,
    pub p50: String,
    pub p99: String,
}

/// Prints rows as a Markdown table.
pub fn print(rows: &[Row]) {
    let head = ["work", "who", "figure", "CPU each", "p50", "p99"];
    let cells: Vec<[&str; 6]> = rows
        .iter()
        .map(|r| [&*r.work, &*r.who, &*r.figure, &*r.cpu, &*r.p50, &*r.p99])
        .collect();
    let mut width = head.map(|h| h.chars().count());
    for row in &cells {
        for (w, cell) in width.iter_mut().zip(row) {
            *w = (*w).max(cell.chars().count());
        }
    }
    let line = |row: &[&str; 6]| {
        let padded: Vec<String> = row
            .iter()
            .zip(&width)
            .map(|(cell, w)| format!("{cell:<w$}"))
            .collect();
        println!("| {} |", padded.join(" | "));
    };
    println!();
    line(&head);
    println!("|{}|", width.map(|w| "-".repeat(w + 2)).join("|"));
    for row in &cells {
        line(row);
    }
}
