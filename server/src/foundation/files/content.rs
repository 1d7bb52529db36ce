//! What bytes really are. Pure and heavy: run it off the async threads.

use super::{Kind, Purpose};
use image::{
    AnimationDecoder, DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits,
    codecs::{
        gif::{GifDecoder, GifEncoder, Repeat},
        jpeg::JpegEncoder,
    },
};
use sha2::{Digest, Sha256};
use std::io::Cursor;

/// More than a telephone's camera makes; a small file can claim far more.
pub const MAX_PIXELS: u64 = 40_000_000;
const MAX_SIDE: u32 = 20_000;
/// Memory that one decoding may take.
const MAX_ALLOCATION: u64 = 256 * 1024 * 1024;
const MAX_FRAMES: usize = 300;
const JPEG_QUALITY: u8 = 90;

/// Why bytes are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Not one of the accepted types, whatever it calls itself.
    Type,
    /// Begins like an accepted type but cannot be read to its end.
    Damaged,
    /// More than 40 megapixels.
    Dimensions,
}

/// A file that passed.
#[derive(Debug)]
pub struct Checked {
    pub kind: Kind,
    /// What is served: a picture written anew, a PDF as it came.
    pub copy: Option<Vec<u8>>,
    /// Hash of size and pixels; none for a PDF.
    pub pixels: Option<Vec<u8>>,
}

/// Decides by content, decodes, and writes pictures anew.
///
/// # Errors
/// See [`Refusal`].
pub fn check(bytes: &[u8], purpose: Purpose) -> Result<Checked, Refusal> {
    let kind = match infer::get(bytes).map(|t| t.mime_type()) {
        Some("image/png") => Kind::Png,
        Some("image/jpeg") => Kind::Jpeg,
        Some("image/gif") => Kind::Gif,
        Some("application/pdf") => Kind::Pdf,
        _ => return Err(Refusal::Type),
    };
    if !purpose.accepts().contains(&kind) {
        return Err(Refusal::Type);
    }
    match kind {
        Kind::Pdf => pdf(bytes).map(|()| Checked {
            kind,
            copy: None,
            pixels: None,
        }),
        Kind::Gif => gif(bytes),
        Kind::Png => still(bytes, kind, ImageFormat::Png),
        Kind::Jpeg => still(bytes, kind, ImageFormat::Jpeg),
    }
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_ALLOCATION);
    limits
}

fn within(width: u32, height: u32) -> Result<(), Refusal> {
    let fits = u64::from(width) * u64::from(height) <= MAX_PIXELS && width <= MAX_SIDE && height <= MAX_SIDE;
    if fits { Ok(()) } else { Err(Refusal::Dimensions) }
}

fn refusal(error: &image::ImageError) -> Refusal {
    if matches!(error, image::ImageError::Limits(_)) {
        Refusal::Dimensions
    } else {
        Refusal::Damaged
    }
}

fn still(bytes: &[u8], kind: Kind, format: ImageFormat) -> Result<Checked, Refusal> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits());
    let mut decoder = reader.into_decoder().map_err(|e| refusal(&e))?;
    // The header is read, the pixels are not: a bomb is refused before it can grow.
    let (width, height) = decoder.dimensions();
    within(width, height)?;
    let orientation = decoder
        .orientation()
        .unwrap_or(image::metadata::Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|e| refusal(&e))?;
    // The turn stood in the metadata, which goes; so the pixels are turned.
    picture.apply_orientation(orientation);
    let mut copy = Vec::with_capacity(bytes.len());
    let written = match format {
        ImageFormat::Jpeg => {
            let encoder = JpegEncoder::new_with_quality(&mut copy, JPEG_QUALITY);
            match &picture {
                DynamicImage::ImageLuma8(grey) => grey.write_with_encoder(encoder),
                other => other.to_rgb8().write_with_encoder(encoder),
            }
        }
        _ => picture.write_to(&mut Cursor::new(&mut copy), format),
    };
    written.map_err(|_| Refusal::Damaged)?;
    Ok(Checked {
        kind,
        copy: Some(copy),
        pixels: Some(pixel_hash(picture)),
    })
}

fn gif(bytes: &[u8]) -> Result<Checked, Refusal> {
    let mut decoder = GifDecoder::new(Cursor::new(bytes)).map_err(|e| refusal(&e))?;
    let (width, height) = decoder.dimensions();
    within(width, height)?;
    decoder.set_limits(limits()).map_err(|e| refusal(&e))?;
    let area = u64::from(width) * u64::from(height);
    let (mut copy, mut pixels, mut first) = (Vec::with_capacity(bytes.len()), 0u64, None);
    {
        let mut encoder = GifEncoder::new_with_speed(&mut copy, 30);
        encoder
            .set_repeat(Repeat::Infinite)
            .map_err(|_| Refusal::Damaged)?;
        for (count, frame) in decoder.into_frames().enumerate() {
            pixels += area;
            // An animation counts with all its frames.
            if pixels > MAX_PIXELS || count >= MAX_FRAMES {
                return Err(Refusal::Dimensions);
            }
            let frame = frame.map_err(|e| refusal(&e))?;
            if first.is_none() {
                first = Some(pixel_hash(DynamicImage::ImageRgba8(frame.buffer().clone())));
            }
            encoder.encode_frame(frame).map_err(|_| Refusal::Damaged)?;
        }
    }
    match first {
        Some(hash) => Ok(Checked {
            kind: Kind::Gif,
            copy: Some(copy),
            pixels: Some(hash),
        }),
        None => Err(Refusal::Damaged),
    }
}

/// Equal pictures hash alike, whatever their wrapping, compression or metadata.
fn pixel_hash(picture: DynamicImage) -> Vec<u8> {
    let rgba = picture.into_rgba8();
    let mut hash = Sha256::new();
    hash.update(rgba.width().to_be_bytes());
    hash.update(rgba.height().to_be_bytes());
    hash.update(rgba.as_raw());
    hash.finalize().to_vec()
}

/// A PDF that begins and ends like one and carries no programs. It is served as an attachment inside a sandbox all the same.
fn pdf(bytes: &[u8]) -> Result<(), Refusal> {
    let holds = |part: &[u8], needle: &[u8]| part.windows(needle.len()).any(|w| w == needle);
    let version = bytes.get(..8).unwrap_or_default();
    let numbered =
        matches!(version, [b'%', b'P', b'D', b'F', b'-', b'1' | b'2', b'.', d] if d.is_ascii_digit());
    if !numbered {
        return Err(Refusal::Type);
    }
    let tail = bytes.get(bytes.len().saturating_sub(2048)..).unwrap_or_default();
    if !holds(tail, b"%%EOF") || !holds(tail, b"startxref") || !holds(bytes, b" obj") {
        return Err(Refusal::Damaged);
    }
    if [&b"/JavaScript"[..], b"/Launch", b"/RichMedia"]
        .iter()
        .any(|program| holds(bytes, program))
    {
        return Err(Refusal::Type);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{ImageBuffer, Rgb, RgbImage};

    fn picture() -> RgbImage {
        ImageBuffer::from_fn(40, 30, |x, y| {
            Rgb([u8::try_from(x * 6).unwrap(), u8::try_from(y * 8).unwrap(), 9])
        })
    }

    fn written(format: ImageFormat) -> Vec<u8> {
        let mut out = Vec::new();
        picture().write_to(&mut Cursor::new(&mut out), format).unwrap();
        out
    }

    fn refused(bytes: &[u8]) -> Refusal {
        check(bytes, Purpose::TicketAttachment).unwrap_err()
    }

    #[test]
    fn pictures_are_written_anew_and_equal_pixels_are_found() {
        let png = written(ImageFormat::Png);
        let first = check(&png, Purpose::PixProof).unwrap();
        // The same picture with a tail and a text chunk's worth of difference in its bytes.
        let mut polyglot = png.clone();
        polyglot.extend_from_slice(b"<script>alert(1)</script>");
        let second = check(&polyglot, Purpose::PixProof).unwrap();
        assert_eq!(first.pixels, second.pixels);
        let copy = second.copy.unwrap();
        assert!(!copy.windows(7).any(|w| w == b"<script"), "the tail is gone");
        assert_eq!(check(&copy, Purpose::PixProof).unwrap().pixels, first.pixels);
        for format in [ImageFormat::Jpeg, ImageFormat::Gif] {
            assert!(
                check(&written(format), Purpose::TicketAttachment)
                    .unwrap()
                    .copy
                    .is_some()
            );
        }
        assert_eq!(
            check(&written(ImageFormat::Gif), Purpose::PixProof).unwrap_err(),
            Refusal::Type
        );
    }

    #[test]
    fn metadata_is_gone_from_the_copy() {
        let mut jpeg = written(ImageFormat::Jpeg);
        // An APP1 segment behind the start marker, as cameras write it; orientation 6 turns the picture.
        let exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0GPS -23.5505";
        let mut segment = vec![0xFF, 0xE1];
        segment.extend_from_slice(&u16::try_from(exif.len() + 2).unwrap().to_be_bytes());
        segment.extend_from_slice(exif);
        jpeg.splice(2..2, segment);
        let copy = check(&jpeg, Purpose::Avatar).unwrap().copy.unwrap();
        assert!(!copy.windows(4).any(|w| w == b"Exif" || w == b"GPS "));
        let turned = image::load_from_memory(&copy).unwrap();
        assert_eq!((turned.width(), turned.height()), (30, 40));
    }

    #[test]
    fn disguises_are_refused() {
        assert_eq!(
            refused(b"<!DOCTYPE html><html><script>1</script></html>"),
            Refusal::Type
        );
        assert_eq!(
            refused(b"<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"/>"),
            Refusal::Type
        );
        assert_eq!(refused(b"<?xml version=\"1.0\"?><svg/>"), Refusal::Type);
        // The letters of "<scr" read as a width and a height of 29 500 and 29 283.
        assert_eq!(refused(b"GIF89a<script>alert(1)</script>"), Refusal::Dimensions);
        assert_eq!(
            refused(b"GIF89a\x08\0\x08\0\0\0\0<script>alert(1)</script>"),
            Refusal::Damaged
        );
        assert_eq!(refused(b"\x89PNG\r\n\x1a\n<html>"), Refusal::Damaged);
        assert_eq!(refused(b"MZ\x90\0"), Refusal::Type);
        assert_eq!(refused(b"x"), Refusal::Type);
        let png = written(ImageFormat::Png);
        assert_eq!(refused(&png[..png.len() / 2]), Refusal::Damaged);
    }

    #[test]
    fn a_bomb_is_refused_by_its_header() {
        let mut png = written(ImageFormat::Png);
        // Width and height of the header chunk, with its checksum made right again.
        png[16..24].copy_from_slice(&[0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30]);
        let crc = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(&png[12..29]);
        png[29..33].copy_from_slice(&crc.to_be_bytes());
        assert_eq!(refused(&png), Refusal::Dimensions);
    }

    #[test]
    fn documents_begin_and_end_like_documents() {
        let good = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\nxref\n0 1\ntrailer<<>>\nstartxref\n9\n%%EOF\n";
        assert_eq!(check(good, Purpose::PixProof).unwrap().kind, Kind::Pdf);
        assert_eq!(check(good, Purpose::Avatar).unwrap_err(), Refusal::Type);
        assert_eq!(refused(b"%PDF-1.4\n<html>"), Refusal::Damaged);
        assert_eq!(refused(b"%PDF-x.4\n"), Refusal::Type);
        let mut program = good.to_vec();
        program.splice(9..9, b"/JavaScript ".iter().copied());
        assert_eq!(refused(&program), Refusal::Type);
    }
}
