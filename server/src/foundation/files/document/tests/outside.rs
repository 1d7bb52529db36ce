//! Files that stand beside a document: whatever names one is refused, and what only looks like it passes.

use super::*;

#[test]
fn whatever_names_a_file_outside_is_refused() {
    for entry in [
        "/Subtype /Form /Ref << /F << /Type /Filespec /F (other.pdf) >> /Page 0 >>",
        "/Subtype /Form /R#65f 5 0 R",
        "/F (//host/share/other.pdf) /Page 0",
        "/F <6f746865722e706466>",
        "/UF (other.pdf)",
        "/Type /F#69lespec /F 5 0 R",
        "/Unix (other.pdf)",
        "/OPI << /2.0 << /Type /OPI /F 5 0 R >> >>",
        "/Subtype /Image /OPI 5 0 R",
        "/AF [5 0 R]",
        "/AF 5 0 R",
    ] {
        let object = format!("<< {entry} >>");
        for (place, bytes) in [
            ("beside", document("", &[format!("4 0 obj\n{object}").as_bytes()])),
            ("packed", modern(&[&object])),
            ("in the catalog", document(&format!("/X [{object}]"), &[])),
        ] {
            assert_eq!(check(&bytes), Err(Refusal::Active), "{entry} {place}");
        }
    }
    // Where a name stands elsewhere, it is one however that is written.
    for beside in [
        "5 0 obj (other.pdf)",
        "5 0 obj << >> endobj 5 0 obj <6f>",
        "5 0 %\nobj (x)",
    ] {
        let object = format!("4 0 obj << /Subtype /Form /X << /F 5 0 R >> >> endobj {beside}");
        for bytes in [
            document("", &[object.as_bytes()]),
            document("/X << /UF 5 0 R >>", &[beside.as_bytes()]),
        ] {
            assert_eq!(check(&bytes), Err(Refusal::Active), "{beside}");
        }
    }
}

#[test]
fn flags_fonts_and_structures_are_no_files() {
    let flags: &[u8] = b"4 0 obj\n<< /Type /Annot /Subtype /Link /F 4 /Rect [0 0 9 9] >>";
    let tagged: &[u8] = b"7 0 obj\n<< /Type /Font /Subtype /Type1 >>\nendobj\n8 0 obj\n<< /S /P /Ref [3 0 R] /AF null /Font << /F 7 0 R >> >>";
    assert_eq!(check(&document("", &[flags, tagged])), Ok(()));
}
