//! Documents as banks write them pass; whatever acts or carries something along does not, however it is written.

mod outside;

use super::*;
use flate2::{Compression, write::ZlibEncoder};
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str};
use proptest::prelude::*;
use std::io::Write;

/// A page with text, as this project's own statements are written.
fn written() -> Vec<u8> {
    let (catalog, pages, page, font, text) =
        (Ref::new(1), Ref::new(2), Ref::new(3), Ref::new(4), Ref::new(5));
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids([page]).count(1);
    let mut sheet = pdf.page(page);
    sheet
        .media_box(Rect::new(0.0, 0.0, 595.0, 842.0))
        .parent(pages)
        .contents(text);
    sheet.resources().fonts().pair(Name(b"F1"), font);
    sheet.finish();
    pdf.type1_font(font).base_font(Name(b"Helvetica"));
    let mut content = Content::new();
    content
        .begin_text()
        .set_font(Name(b"F1"), 14.0)
        .next_line(50.0, 700.0);
    content.show(Str(b"Comprovante de PIX")).end_text();
    pdf.stream(text, &content.finish());
    pdf.finish()
}

/// A document with these entries in its catalog and these objects beside it.
fn document(catalog: &str, objects: &[&[u8]]) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec();
    let page = "2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595.2 -842] /A <</O /Layout>> >>\nendobj\n";
    out.extend(format!("1 0 obj\n<< /Type /Catalog /Pages 2 0 R {catalog} >>\nendobj\n{page}").bytes());
    for object in objects {
        out.extend_from_slice(object);
        out.extend_from_slice(b"\nendobj\n");
    }
    let table = out.len();
    out.extend(
        format!(
            "xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 9 /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"
        )
        .bytes(),
    );
    out
}

fn deflated(plain: &[u8]) -> Vec<u8> {
    let mut out = ZlibEncoder::new(Vec::new(), Compression::best());
    out.write_all(plain).unwrap();
    out.finish().unwrap()
}

/// An object stream with these objects, numbered from 10.
fn packed(objects: &[&str]) -> (String, usize) {
    let (mut index, mut body) = (String::new(), String::new());
    for (n, object) in objects.iter().enumerate() {
        index.push_str(&format!("{} {} ", 10 + n, body.len()));
        body.push_str(object);
        body.push(' ');
    }
    let first = index.len();
    (index + &body, first)
}

fn stream(dictionary: &str, data: &[u8]) -> Vec<u8> {
    let mut out = format!("8 0 obj\n<< {dictionary} /Length {} >>\nstream\r\n", data.len()).into_bytes();
    out.extend_from_slice(data);
    out.extend_from_slice(b"\nendstream");
    out
}

/// Everything but the header in an object stream, with a table that is a stream too: what most programs write today.
fn modern(objects: &[&str]) -> Vec<u8> {
    let base = [
        "<< /Type /Catalog /Pages 11 0 R >>",
        "<< /Type /Pages /Kids [12 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 11 0 R >>",
    ];
    let all: Vec<&str> = base.iter().chain(objects).copied().collect();
    let (plain, first) = packed(&all);
    let mut out = b"%PDF-1.5\n%\xE2\xE3\xCF\xD3\n9 0 obj\n<< /Linearized 1 /L 1000 /H [500 30] /O 12 /E 900 /N 1 /T 950 >>\nendobj\n".to_vec();
    out.extend(stream(
        &format!(
            "/Type /ObjStm /N {} /First {first} /Filter /FlateDecode",
            all.len()
        ),
        &deflated(plain.as_bytes()),
    ));
    let table = out.len();
    out.extend_from_slice(b"\nendobj\n7 0 obj\n<< /Type /XRef /Size 13 /W [1 2 1] /Root 10 0 R /Filter [/FlateDecode] /DecodeParms << /Predictor 12 /Columns 4 >> /Length 20 >>\nstream\n");
    out.extend_from_slice(&deflated(&[0; 52]));
    out.extend(format!("\nendstream\nendobj\nstartxref\n{table}\n%%EOF\n").bytes());
    out
}

#[test]
fn what_banks_write_passes() {
    let image = stream(
        "/Type /XObject /Subtype /Image /Width 9 /Height 9 /Filter /DCTDecode",
        b"\xFF\xD8 /JS /AA >> (",
    );
    let link: &[u8] = b"4 0 obj\n<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (https://banco.example/\\)) >> >>";
    let blend: &[u8] = b"5 0 obj << /Type /ExtGState /BM /Screen >>";
    let outline: &[u8] =
        b"6 0 obj << /First 4 0 R /Last 4 0 R /Count 1 /Title (\xFE\xFF\0a) /Dest [3 0 R /XYZ 0 0 null] >>";
    for (name, bytes) in [
        ("pdf-writer", written()),
        (
            "classic",
            document(
                "/OpenAction [3 0 R /FitH null] /Lang (pt-BR)",
                &[&image, link, blend, outline],
            ),
        ),
        (
            "a jump",
            document(
                "/OpenAction 4 0 R",
                &[b"4 0 obj << /Type /Action /S /GoTo /D [3 0 R /Fit] >>"],
            ),
        ),
        (
            "object streams",
            modern(&[
                "<< /Type /Font /BaseFont /Helvetica /Widths [1 2 3.5 -4] >>",
                "[1 0 R 2 0 R]",
                "(text) ",
            ]),
        ),
        (
            "an update",
            [document("", &[]), document("/Names << >>", &[])].concat(),
        ),
    ] {
        assert_eq!(check(&bytes), Ok(()), "{name}");
    }
}

#[test]
fn whatever_acts_is_refused() {
    let action = |entry: &str| format!("<< /Type /Action {entry} >>");
    for entry in [
        "/S /JavaScript /JS (app.alert(1))",
        "/S /J#61vaScript /JS 5 0 R",
        "/S /#4a#61#76#61#53#63#72#69#70#74",
        "/S /Launch /F (cmd.exe)",
        "/S /GoToE",
        "/S /GoToR /F (//host/share)",
        "/S /SubmitForm",
        "/S /Named /N /Print",
        "/S /N#61med",
        "/S /Rendition",
        "/S /GoTo /Next << /S /SetOCGState >>",
        "/AA << /O 5 0 R >>",
        "/A#41 << /O 5 0 R >>",
        "/J#53 (x)",
        "/Type /Filespec /EF << /F 5 0 R >>",
        "/AcroForm << /XFA [(a) 5 0 R] >>",
        "/Names << /EmbeddedFiles 5 0 R >>",
        "/Subtype /RichMedia",
    ] {
        let object = action(entry);
        for (place, bytes) in [
            ("beside", document("", &[format!("4 0 obj\n{object}").as_bytes()])),
            ("packed", modern(&[&object])),
            ("in the catalog", document(&format!("/X [{object}]"), &[])),
        ] {
            assert_eq!(check(&bytes), Err(Refusal::Active), "{entry} {place}");
        }
    }
    for (catalog, beside) in [
        ("/OpenAction << /S /URI /URI (https://x.example) >>", ""),
        (
            "/OpenAction 4 0 R",
            "4 0 obj << /S /URI /URI (https://x.example) >>",
        ),
        ("/Open#41ction 4 0 R", "4 0 obj << /S /URI >>"),
        // Two objects of one number: readers do not agree which one counts.
        (
            "/OpenAction 4 0 R",
            "4 0 obj << /S /URI >> endobj 4 0 obj << /S /GoTo >>",
        ),
        ("/OpenAction << /S /GoTo /Next 4 0 R >>", ""),
        ("/OpenAction << /S /URI /S /GoTo >>", ""),
        ("/OpenAction 40 0 R", ""),
    ] {
        assert_eq!(
            check(&document(catalog, &[beside.as_bytes()])),
            Err(Refusal::Active),
            "{catalog}"
        );
    }
    let mut locked = document("", &[]);
    let at = find(&locked, b"/Root", 0).unwrap();
    locked.splice(at..at, b"/Encrypt 5 0 R ".iter().copied());
    assert_eq!(check(&locked), Err(Refusal::Active));
}

#[test]
fn nothing_hides_from_the_table() {
    let (plain, first) = packed(&["<< /S /URI /AA 1 >>"]);
    let (plain, zipped) = (plain.as_bytes(), deflated(plain.as_bytes()));
    let has = format!("/N 1 /First {first}");
    let stuffed = |junk: &str| {
        stream(
            &format!("/Type /ObjStm {junk} {has} /Filter /FlateDecode"),
            &zipped,
        )
    };
    for (name, object) in [
        (
            "without a type",
            stream(&format!("{has} /Filter /FlateDecode"), &zipped),
        ),
        ("not packed", stream(&has, plain)),
        (
            "as a picture",
            stream(&format!("/Subtype /Image {has} /Filter /Fl#61teDecode"), &zipped),
        ),
        (
            "packed twice",
            stream(
                &format!("{has} /Filter [/FlateDecode /FlateDecode]"),
                &deflated(&zipped),
            ),
        ),
        (
            "in letters",
            stream(&format!("{has} /Filter [/ASCIIHexDecode]"), b"00>"),
        ),
        (
            "the filter elsewhere",
            stream(&format!("{has} /Filter 5 0 R"), &zipped),
        ),
        (
            "two filters",
            stream(&format!("{has} /Filter /FlateDecode /Filter /LZWDecode"), &zipped),
        ),
        (
            "the place elsewhere",
            stream("/N 1 /First 5 0 R /Filter /FlateDecode", &zipped),
        ),
        (
            "foretold",
            stream(
                &format!("{has} /Filter /FlateDecode /DecodeParms << /Predictor 12 >>"),
                &zipped,
            ),
        ),
        ("a number too many", stuffed("7")),
        ("a text too many", stuffed("(x)")),
        ("a list too many", stuffed("[/A]")),
        ("a reference too many", stuffed("7 0 R")),
        ("a dictionary too many", stuffed("<< /A 1 >>")),
        ("a bracket too many", stuffed(")")),
        ("half a list", stuffed("/A ]")),
        ("half a function", stuffed("/A }")),
        ("half an end", stuffed("/A >")),
        ("within a stream", stream("", b"4 0 obj << /AA 1 >> endobj")),
        ("behind a comment", b"4 0 obj % >> \n << /AA 1 >>".to_vec()),
        (
            "after an open string",
            b"4 0 obj ( endobj 5 0 obj << /AA 1 >> endobj".to_vec(),
        ),
    ] {
        assert_eq!(check(&document("", &[&object])), Err(Refusal::Active), "{name}");
    }
    // The whole word is found even where nothing can be read.
    let hidden = stream(
        "/N 1 /First 9999 /Filter /FlateDecode",
        &deflated(b"10 0 << /S /JavaScr#69pt >>"),
    );
    assert_eq!(check(&document("", &[&hidden])), Err(Refusal::Active));
    assert_eq!(
        check(&document("", &[b"4 0 obj << ( /L#61unch"])),
        Err(Refusal::Active)
    );
}

/// An object stream that is not packed, whose length is said by another object.
fn elsewhere(content: &str, first: usize, length: &str, objects: &[&str]) -> Vec<u8> {
    let open = format!(
        "8 0 obj\n<< /Type /ObjStm /N 1 /First {first} /Length {length} >>\nstream\n{content}\nendstream"
    );
    let all: Vec<&[u8]> = std::iter::once(open.as_str())
        .chain(objects.iter().copied())
        .map(str::as_bytes)
        .collect();
    document("", &all)
}

#[test]
fn a_stream_ends_where_its_length_says_and_where_its_word_stands() {
    for acts in ["/JS 5 0 R", "/AA << /O 5 0 R >>", "/XFA 5 0 R"] {
        let (content, first) = packed(&["(endstream )", &format!("<< {acts} >>")]);
        let has = format!("/Type /ObjStm /N 2 /First {first}");
        let hides = document("", &[&stream(&has, content.as_bytes())]);
        assert_eq!(check(&hides), Err(Refusal::Damaged), "{acts}");
    }
    let (content, first) = packed(&["<< /X (a text) >>"]);
    let long = content.len();
    assert_eq!(check(&elsewhere(&content, first, &long.to_string(), &[])), Ok(()));
    let says = |length: usize| format!("9 0 obj {length}");
    assert_eq!(
        check(&elsewhere(&content, first, "9 0 R", &[&says(long)])),
        Ok(())
    );
    for (name, length, objects) in [
        ("too short", (long - 2).to_string(), vec![]),
        ("too long", (long + 20).to_string(), vec![]),
        ("beyond all", u64::MAX.to_string(), vec![]),
        ("negative", "-1".into(), vec![]),
        ("twice", format!("{long} /Length {long}"), vec![]),
        ("nowhere", "7 0 R".into(), vec![]),
        ("elsewhere and wrong", "9 0 R".into(), vec![says(long - 2)]),
        (
            "elsewhere in two ways",
            "9 0 R".into(),
            vec![says(long), says(long - 2)],
        ),
        (
            "elsewhere behind a comment",
            "9 0 R".into(),
            vec![says(long), format!("9 0 %\nobj {}", long - 2)],
        ),
        (
            "elsewhere with a sign",
            "9 0 R".into(),
            vec![says(long), format!("+9 0 obj {}", long - 2)],
        ),
    ] {
        let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
        let bytes = elsewhere(&content, first, &length, &objects);
        assert_eq!(check(&bytes), Err(Refusal::Damaged), "{name}");
    }
    // Said anew in an object stream that is unpacked later.
    let other = "7 0 obj << /Type /ObjStm /N 1 /First 4 /Length 7 >> stream\n9 0 999\nendstream";
    let bytes = elsewhere(&content, first, "9 0 R", &[&says(long), other]);
    assert_eq!(check(&bytes), Err(Refusal::Damaged));
    for (name, bytes) in [
        ("a carriage return alone", "stream\r"),
        ("a space", "stream \n"),
        ("nothing", "stream"),
    ] {
        let bytes = format!(
            "8 0 obj << /Type /ObjStm /N 1 /First {first} /Length {long} >> {bytes}{content}\nendstream"
        );
        assert_eq!(
            check(&document("", &[bytes.as_bytes()])),
            Err(Refusal::Damaged),
            "{name}"
        );
    }
}

#[test]
fn objects_at_a_streams_beginning_are_no_colours() {
    let acts = "9 4 << /S /Launch /F (/bin/x) >>";
    let mut profile = b"\x00\x00\x0c\x48lcms\x02\x10\x00\x00mntrRGB XYZ ".to_vec();
    profile.resize(3_144, 0);
    for (dictionary, content, expected) in [
        ("/N 3", profile.as_slice(), Ok(())),
        ("/N 3 /Alternate /DeviceRGB", profile.as_slice(), Ok(())),
        ("/N 1", acts.as_bytes(), Err(Refusal::Active)),
        ("/N 5 0 R", acts.as_bytes(), Err(Refusal::Active)),
        ("/N 1", b"%\n9\x004\x00<< /AA 1 >>", Err(Refusal::Active)),
        ("/First 0", acts.as_bytes(), Err(Refusal::Active)),
        ("/N 1 /Filter /LZWDecode", acts.as_bytes(), Err(Refusal::Active)),
    ] {
        let zipped = deflated(content);
        for (dictionary, data) in [
            (dictionary.to_owned(), content),
            (format!("{dictionary} /Filter /FlateDecode"), zipped.as_slice()),
        ] {
            if dictionary.matches("/Filter").count() < 2 {
                let bytes = stream(&dictionary, data);
                assert_eq!(check(&document("", &[&bytes])), expected, "{dictionary}");
            }
        }
    }
    // What only counts something and is no stream.
    let counts = b"8 0 obj << /Linearized 1 /N 1 >> endobj";
    assert_eq!(check(&document("", &[counts])), Ok(()));
}

#[test]
fn objects_are_found_in_each_way_that_readers_know() {
    let acts = "<< /AA 1 >>";
    for (name, count, first, content) in [
        (
            "an index that ends before it begins",
            1,
            0,
            format!("10 5 {acts}"),
        ),
        ("an index that is cut", 2, 5, format!("10 6 11 0 {acts}")),
        ("beyond all", 1, 5, "10 99 (x)".to_owned()),
        ("a place that is none", 1, 90, format!("10 0 {acts}")),
    ] {
        let bytes = stream(&format!("/N {count} /First {first}"), content.as_bytes());
        assert!(check(&document("", &[&bytes])).is_err(), "{name}");
    }
    for (name, content) in [
        ("past what closes nothing", "10 0 << ) /AA 1 >>".to_owned()),
        (
            "in a list with what closes nothing",
            "10 0 [ } << /AA 1 >> ]".to_owned(),
        ),
        ("between those of the index", format!("10 0 (x) {acts}")),
        ("behind a word", format!("10 0 null {acts}")),
    ] {
        let bytes = stream("/N 1 /First 5", content.as_bytes());
        assert_eq!(check(&document("", &[&bytes])), Err(Refusal::Active), "{name}");
    }
    for object in [
        "4 0 obj ) << /AA 1 >>",
        "4 0 obj [ ) << /AA 1 >> ]",
        "4 0 %\nobj } << /AA 1 >>",
        "4 0 obj << /N 1 /First 5 /Length 9 >> whatever stream\n10 0 (x) \nendstream",
        "4 0 obj << /F (http://x.example/y) /Length 0 >> stream\n\nendstream",
        "trailer ) << ) /Root << /OpenAction << /S /URI >> >> >>",
    ] {
        assert_eq!(
            check(&document("", &[object.as_bytes()])),
            Err(Refusal::Active),
            "{object}"
        );
    }
    // References as not every reader reads them.
    for (catalog, object) in [
        ("/OpenAction +4 0 R", "4 0 obj << /S /URI >>"),
        ("/OpenAction 4.0 0 R", "4 0 obj << /S /URI >>"),
        (
            "/OpenAction 4 0 R",
            "4 0 obj [3 0 R /Fit] endobj 4.0 0 obj << /S /URI >>",
        ),
        ("/X << /S 4 0 R >>", "4 0 obj /Named"),
        ("/X << /S +4 0 R >>", "4 0 obj /Named"),
    ] {
        assert_eq!(
            check(&document(catalog, &[object.as_bytes()])),
            Err(Refusal::Active),
            "{catalog}"
        );
    }
}

#[test]
fn links_go_to_the_web_a_mailbox_or_a_telephone() {
    let link = |to: &str| format!("4 0 obj << /Subtype /Link /A << /S /URI /URI {to} >> >>");
    for to in [
        "(https://banco.example/pix?id=1)",
        "(HTTP://BANCO.EXAMPLE)",
        "(mailto:sac@banco.example)",
        "(tel:+551130000000)",
        "(www.banco.com.br)",
        "(WWW.BB.COM.BR/pix?id=1#a)",
        "( www.banco.com:8443/x.pdf )",
        "<7777772e62622e636f6d2e6272>",
        "( https://banco.example/\\(x\\))",
        "<68747470733a2f2f62616e636f>",
        "(\\150ttps://banco.example)",
    ] {
        assert_eq!(check(&document("", &[link(to).as_bytes()])), Ok(()), "{to}");
        let beside = format!("{} endobj 5 0 obj {to}", link("5 0 R"));
        assert_eq!(check(&document("", &[beside.as_bytes()])), Ok(()), "{to} beside");
        assert_eq!(
            check(&modern(&[link(to).split_once("obj").unwrap().1])),
            Ok(()),
            "{to} packed"
        );
    }
    for to in [
        "(javascript:app.alert\\(1\\))",
        "(JavaScript:x)",
        "(java\nscript:x)",
        "(\\152avascript:x)",
        "<6a6176617363726970743a78>",
        "(file:///etc/passwd)",
        "(file://host/share)",
        "(\\\\\\\\host\\\\share)",
        "(smb://host/share)",
        "(data:text/html,x)",
        "(vbscript:x)",
        "(ms-settings:x)",
        "(C:/Windows/x.exe)",
        "(x.exe)",
        "(www.exe)",
        "(www.com)",
        "(www.setup.exe)",
        "(www.com.br)",
        "(www./../../x)",
        "(www.banco.com.br/../../x.exe)",
        "(www.banco.com.br/%2e%2e/x)",
        "(www.banco.com.br\\\\x)",
        "(www.banco.com.br/a b)",
        "(www..com.br)",
        "(www.banco.com.br\nx)",
        "(www.\\344.com.br)",
        "(../x)",
        "(\\\nhttps://x.example)",
        "<feff0068007400740070>",
        "()",
        "null",
        "/https",
        "5 0 R",
    ] {
        let object = link(to);
        let body = object.split_once("obj").unwrap().1.to_owned();
        for (place, bytes) in [
            ("plain", document("", &[object.as_bytes()])),
            ("packed", modern(&[&body])),
            (
                "beside",
                document("", &[format!("{} endobj 5 0 obj {to}", link("5 0 R")).as_bytes()]),
            ),
            (
                "one of two",
                document(
                    "",
                    &[format!(
                        "{} endobj 5 0 obj (https://x.example) endobj 5 0 obj {to}",
                        link("5 0 R")
                    )
                    .as_bytes()],
                ),
            ),
            ("as a base", document(&format!("/URI << /Base {to} >>"), &[])),
        ] {
            assert_eq!(check(&bytes), Err(Refusal::Active), "{to} {place}");
        }
    }
}

#[test]
fn what_cannot_be_read_is_refused() {
    let whole = document("", &[]);
    assert_eq!(check(b"%PDF-x.4\n"), Err(Refusal::Type));
    assert_eq!(check(b"%PDF-1.4\n<html>"), Err(Refusal::Damaged));
    assert_eq!(check(&whole[..whole.len() - 20]), Err(Refusal::Damaged));
    let empty = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\nxref\n0 1\ntrailer<<>>\nstartxref\n9\n%%EOF\n";
    assert_eq!(check(empty), Err(Refusal::Damaged));
    let broken = stream("/N 1 /First 4 /Filter /FlateDecode", b"no zlib");
    assert_eq!(check(&document("", &[&broken])), Err(Refusal::Damaged));
}

#[test]
fn bombs_cost_no_more_than_their_size_allows() {
    let has = "/N 1 /First 4 /Filter /FlateDecode";
    let bomb = stream(has, &deflated(&vec![b' '; UNPACKED + 1]));
    assert_eq!(check(&document("", &[&bomb])), Err(Refusal::Damaged));
    // Each for itself would pass.
    let half = [b"10 0 null".as_slice(), &vec![b' '; UNPACKED / 2]].concat();
    let half = stream("/N 1 /First 5 /Filter /FlateDecode", &deflated(&half));
    assert_eq!(check(&document("", &[&half])), Ok(()));
    let many = vec![half; 9];
    let many: Vec<&[u8]> = many.iter().map(Vec::as_slice).collect();
    assert_eq!(check(&document("", &many)), Err(Refusal::Damaged));
    // A thousand entries of one large object.
    let (large, index) = (format!("[{}]", "1 ".repeat(50_000)), "10 0 ".repeat(1_000));
    let again = stream(
        &format!("/N 1000 /First {} /Filter /FlateDecode", index.len()),
        &deflated(format!("{index}{large}").as_bytes()),
    );
    assert_eq!(check(&document("", &[&again])), Err(Refusal::Damaged));
    for part in [
        "[", "<<", "<</a ", "(", "<", "1 0 obj(", "1 0 obj<", "1 0 obj[", "obj %", "1 ",
    ] {
        let nested = format!("4 0 obj {}", part.repeat(200_000 / part.len()));
        let _ = check(&document("", &[nested.as_bytes()]));
    }
}

proptest! {
    /// Whatever becomes of the bytes, reading them ends without a panic.
    #[test]
    fn mutations_end(
        which in 0usize..3,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..6, any::<u8>()), 1..24),
    ) {
        let mut bytes = match which {
            0 => written(),
            1 => document("/OpenAction [3 0 R /Fit]", &[b"4 0 obj << /A << /S /URI /URI (x) >> >>"]),
            _ => modern(&["<< /Type /Font >>", "[(a) <00> 1 0 R]"]),
        };
        const PIECES: [&[u8]; 8] = [b"<<", b">>", b"(", b"[", b"1 0 obj", b"stream\n", b"/First -1 /N 18446744073709551616", b"trailer"];
        for (place, how, byte) in edits {
            if bytes.is_empty() { break; }
            let at = place.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => { bytes.remove(at); }
                2 => bytes.insert(at, byte),
                3 => bytes.truncate(at.max(1)),
                4 => { bytes.splice(at..at, PIECES[usize::from(byte) % PIECES.len()].iter().copied()); }
                _ => { let copy = bytes[at..].to_vec(); bytes.extend(copy); }
            }
            if bytes.len() > 100_000 { break; }
        }
        let _ = check(&bytes);
        let _ = Sweep::default().file(&bytes);
    }
}
