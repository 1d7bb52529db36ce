//! What bytes really are. Pure and heavy: run it off the async threads, with memory of [`Decoding`](super::decoding::Decoding).

use super::{Kind, Purpose, Small, decoding, document, small};
use image::{
    AnimationDecoder, DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits,
    codecs::{
        gif::{GifDecoder, GifEncoder, Repeat},
        jpeg::JpegEncoder,
        png::{CompressionType, FilterType, PngEncoder},
    },
};
use sha2::{Digest, Sha256};
use std::io::Cursor;

/// What a camera of 16 megapixels makes, with a little room (4656 × 3496): more than a receipt, a face or a screenshot needs,
/// and little enough to be decoded within a second. A small file can claim far more; the pages scale larger pictures down.
pub const MAX_PIXELS: u64 = 4096 * 4096;
const MAX_SIDE: u32 = 20_000;
/// What a decoder may take for what stands before the pixels (a colour profile may be packed).
const MAX_BEFORE_PIXELS: u64 = 8 * 1024 * 1024;
const MAX_FRAMES: usize = 300;
const JPEG_QUALITY: u8 = 90;
/// Rows that are hashed at once.
const STRIP: u32 = 64;

/// Why bytes are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Not one of the accepted types, whatever it calls itself.
    Type,
    /// Begins like an accepted type but cannot be read to its end.
    Damaged,
    /// More than 16 megapixels.
    Dimensions,
    /// Too wide or too high, however few its pixels are.
    Sides,
    /// An animation of too many frames, or of too many pixels in all of them.
    Frames,
    /// A document that acts, carries something along or is locked.
    Active,
}

/// What a file is and what it takes to look at it, told without decoding it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub kind: Kind,
    /// Memory in bytes.
    pub memory: u64,
}

/// A file that passed.
#[derive(Debug)]
pub struct Checked {
    pub kind: Kind,
    /// What is served: a picture written anew, a PDF as it came.
    pub copy: Option<Vec<u8>>,
    /// Hash of size and pixels; none for a PDF.
    pub pixels: Option<Vec<u8>>,
    /// Of a picture those that were asked for.
    pub smalls: Smalls,
}

/// Small pictures, packed.
pub type Smalls = Vec<(Small, Vec<u8>)>;

impl Checked {
    /// A file that is served as it was sent.
    pub const fn as_it_came(kind: Kind) -> Self {
        Self {
            kind,
            copy: None,
            pixels: None,
            smalls: Vec::new(),
        }
    }
}

/// Reads type and size from the beginning (of an animation the frames' headers): what claims too much is refused before
/// anything is decoded.
///
/// # Errors
/// See [`Refusal`].
pub fn plan(bytes: &[u8], purpose: Purpose) -> Result<Plan, Refusal> {
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
    let decoded = match kind {
        // What one object stream may unpack to.
        Kind::Pdf => u64::try_from(document::UNPACKED).unwrap_or(u64::MAX),
        // The canvas and the frame in four bytes a pixel, the frame in one, and what packing takes.
        Kind::Gif => 12 * frames(bytes)?,
        // The pixels, and once more when they are turned.
        Kind::Png => 2 * still_size(bytes, ImageFormat::Png)?,
        // Those of the progressive kind keep all coefficients, twice as wide as pixels, until the end.
        Kind::Jpeg => 4 * still_size(bytes, ImageFormat::Jpeg)?,
        Kind::Mp4 | Kind::Webm => return Err(Refusal::Type),
    };
    let file = 3 * u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let memory = decoded.saturating_add(file);
    if memory > decoding::LARGE {
        return Err(Refusal::Dimensions);
    }
    Ok(Plan { kind, memory })
}

/// Decodes what [`plan`] has let through, and writes pictures anew, also as the small ones that are wanted.
///
/// # Errors
/// See [`Refusal`].
pub fn check(bytes: &[u8], kind: Kind, wanted: &[Small]) -> Result<Checked, Refusal> {
    match kind {
        Kind::Pdf => document::check(bytes).map(|()| Checked::as_it_came(kind)),
        Kind::Gif => gif(bytes, wanted),
        Kind::Png => still(bytes, kind, ImageFormat::Png, wanted),
        Kind::Jpeg => still(bytes, kind, ImageFormat::Jpeg, wanted),
        // Looked at without being read whole (`video`).
        Kind::Mp4 | Kind::Webm => Err(Refusal::Type),
    }
}

/// The small ones of a picture that [`plan`] has let through; of an animation, those of its first frame.
///
/// # Errors
/// See [`Refusal`].
pub fn smalls(bytes: &[u8], kind: Kind, wanted: &[Small]) -> Result<Smalls, Refusal> {
    if wanted.is_empty() {
        return Ok(Smalls::new());
    }
    let picture = match kind {
        Kind::Png => decoded(bytes, ImageFormat::Png)?,
        Kind::Jpeg => decoded(bytes, ImageFormat::Jpeg)?,
        Kind::Gif => {
            let first = gif_decoder(bytes)?.into_frames().next();
            let first = first.ok_or(Refusal::Damaged)?.map_err(|e| refusal(&e))?;
            first.into_buffer().into()
        }
        Kind::Pdf | Kind::Mp4 | Kind::Webm => return Err(Refusal::Type),
    };
    small::of(&picture, wanted).map_err(|_| Refusal::Damaged)
}

fn limits(allocation: u64) -> Limits {
    let mut limits = Limits::default();
    limits.max_alloc = Some(allocation);
    limits
}

fn within(width: u32, height: u32) -> Result<(), Refusal> {
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        Err(Refusal::Dimensions)
    } else if width.max(height) > MAX_SIDE {
        Err(Refusal::Sides)
    } else {
        Ok(())
    }
}

fn refusal(error: &image::ImageError) -> Refusal {
    if matches!(error, image::ImageError::Limits(_)) {
        Refusal::Dimensions
    } else {
        Refusal::Damaged
    }
}

/// Reads a header; the pixels are not read.
fn header(bytes: &[u8], format: ImageFormat) -> Result<impl ImageDecoder + '_, Refusal> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits(MAX_BEFORE_PIXELS));
    let decoder = reader.into_decoder().map_err(|e| refusal(&e))?;
    let (width, height) = decoder.dimensions();
    within(width, height)?;
    Ok(decoder)
}

/// Bytes of the decoded pixels.
fn still_size(bytes: &[u8], format: ImageFormat) -> Result<u64, Refusal> {
    header(bytes, format).map(|decoder| decoder.total_bytes())
}

/// A picture as it is looked at.
fn decoded(bytes: &[u8], format: ImageFormat) -> Result<DynamicImage, Refusal> {
    let mut decoder = header(bytes, format)?;
    let orientation = decoder
        .orientation()
        .unwrap_or(image::metadata::Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|e| refusal(&e))?;
    // The turn stood in the metadata, which goes; so the pixels are turned.
    picture.apply_orientation(orientation);
    Ok(picture)
}

fn still(bytes: &[u8], kind: Kind, format: ImageFormat, wanted: &[Small]) -> Result<Checked, Refusal> {
    let picture = decoded(bytes, format)?;
    // Before the copy: what turning took is free again.
    let smalls = small::of(&picture, wanted).map_err(|_| Refusal::Damaged)?;
    let copy = match format {
        ImageFormat::Jpeg => jpeg(&picture),
        _ => png(&picture, bytes.len()),
    }
    .map_err(|_| Refusal::Damaged)?;
    Ok(Checked {
        kind,
        copy: Some(copy),
        pixels: Some(pixel_hash(&picture)),
        smalls,
    })
}

fn jpeg(picture: &DynamicImage) -> image::ImageResult<Vec<u8>> {
    let mut copy = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut copy, JPEG_QUALITY);
    match picture {
        DynamicImage::ImageLuma8(grey) => grey.write_with_encoder(encoder),
        DynamicImage::ImageRgb8(colours) => colours.write_with_encoder(encoder),
        other => other.to_rgb8().write_with_encoder(encoder),
    }?;
    Ok(copy)
}

/// Packed quickly (16 megapixels in a quarter of a second); what a patient sender has packed far better is packed once more
/// with some care, so that a small file does not become a large one on the disk.
fn png(picture: &DynamicImage, sent: usize) -> image::ImageResult<Vec<u8>> {
    let written = |compression| {
        let mut copy = Vec::new();
        let encoder = PngEncoder::new_with_quality(&mut copy, compression, FilterType::Adaptive);
        picture.write_with_encoder(encoder).map(|()| copy)
    };
    let quick = written(CompressionType::Fast)?;
    if quick.len() <= 2 * sent + 1024 * 1024 {
        return Ok(quick);
    }
    drop(quick);
    written(CompressionType::Level(1))
}

/// Bytes that decoding writes for one frame at a time, in pixels of the larger of canvas and frame.
///
/// An animation counts with all its frames, each as large as the canvas that it is drawn on: a frame of one pixel is cheap to
/// send, and drawn as a whole picture. They are counted by their headers, with what is packed between them passed over.
fn frames(bytes: &[u8]) -> Result<u64, Refusal> {
    let mut options = gif::DecodeOptions::new();
    options.skip_frame_decoding(true);
    let mut decoder = options.read_info(bytes).map_err(|_| Refusal::Damaged)?;
    let (width, height) = (u32::from(decoder.width()), u32::from(decoder.height()));
    let canvas = u64::from(width) * u64::from(height);
    let (mut pixels, mut largest, mut count) = (0, canvas, 0);
    while let Some(frame) = decoder.next_frame_info().map_err(|_| Refusal::Damaged)? {
        // What has no frame behind its header is no picture, whatever size it claims.
        within(width, height)?;
        let own = u64::from(frame.width) * u64::from(frame.height);
        count += 1;
        pixels += canvas.max(own);
        largest = largest.max(own);
        if pixels > MAX_PIXELS || count > MAX_FRAMES {
            return Err(Refusal::Frames);
        }
    }
    if count == 0 {
        return Err(Refusal::Damaged);
    }
    Ok(largest)
}

fn gif_decoder(bytes: &[u8]) -> Result<GifDecoder<Cursor<&[u8]>>, Refusal> {
    let mut decoder = GifDecoder::new(Cursor::new(bytes)).map_err(|e| refusal(&e))?;
    let (width, height) = decoder.dimensions();
    within(width, height)?;
    decoder
        .set_limits(limits(decoding::LARGE))
        .map_err(|e| refusal(&e))?;
    Ok(decoder)
}

fn gif(bytes: &[u8], wanted: &[Small]) -> Result<Checked, Refusal> {
    let decoder = gif_decoder(bytes)?;
    let (width, height) = decoder.dimensions();
    let area = u64::from(width) * u64::from(height);
    let (mut copy, mut pixels, mut first) = (Vec::with_capacity(bytes.len()), 0u64, None);
    {
        let mut encoder = GifEncoder::new_with_speed(&mut copy, 30);
        encoder
            .set_repeat(Repeat::Infinite)
            .map_err(|_| Refusal::Damaged)?;
        for (count, frame) in decoder.into_frames().enumerate() {
            pixels += area;
            if pixels > MAX_PIXELS || count >= MAX_FRAMES {
                return Err(Refusal::Frames);
            }
            let frame = frame.map_err(|e| refusal(&e))?;
            if first.is_none() {
                let canvas = frame.buffer();
                first = Some(hashed(canvas.width(), canvas.height(), [canvas.as_raw()]));
            }
            encoder.encode_frame(frame).map_err(|_| Refusal::Damaged)?;
        }
    }
    match first {
        Some(hash) => Ok(Checked {
            kind: Kind::Gif,
            copy: Some(copy),
            pixels: Some(hash),
            // The first frame is decoded once more, when the memory of all is free again.
            smalls: smalls(bytes, Kind::Gif, wanted)?,
        }),
        None => Err(Refusal::Damaged),
    }
}

/// Equal pictures hash alike, whatever their wrapping, compression or metadata. Strip by strip, so that no second picture of
/// four bytes a pixel is made.
fn pixel_hash(picture: &DynamicImage) -> Vec<u8> {
    let (width, height) = (picture.width(), picture.height());
    let strips = (0..height)
        .step_by(usize::try_from(STRIP).unwrap_or(1))
        .map(|top| {
            let rows = STRIP.min(height - top);
            picture.crop_imm(0, top, width, rows).into_rgba8().into_raw()
        });
    hashed(width, height, strips)
}

fn hashed(width: u32, height: u32, parts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update(width.to_be_bytes());
    hash.update(height.to_be_bytes());
    for part in parts {
        hash.update(part.as_ref());
    }
    hash.finalize().to_vec()
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

    fn looked_at(bytes: &[u8], purpose: Purpose) -> Result<Checked, Refusal> {
        check(bytes, plan(bytes, purpose)?.kind, purpose.smalls())
    }

    fn refused(bytes: &[u8]) -> Refusal {
        looked_at(bytes, Purpose::TicketAttachment).unwrap_err()
    }

    #[test]
    fn pictures_are_written_anew_and_equal_pixels_are_found() {
        let png = written(ImageFormat::Png);
        let first = looked_at(&png, Purpose::PixProof).unwrap();
        // The same picture with a tail and a text chunk's worth of difference in its bytes.
        let mut polyglot = png.clone();
        polyglot.extend_from_slice(b"<script>alert(1)</script>");
        let second = looked_at(&polyglot, Purpose::PixProof).unwrap();
        assert_eq!(first.pixels, second.pixels);
        let copy = second.copy.unwrap();
        assert!(!copy.windows(7).any(|w| w == b"<script"), "the tail is gone");
        assert_eq!(looked_at(&copy, Purpose::PixProof).unwrap().pixels, first.pixels);
        for format in [ImageFormat::Jpeg, ImageFormat::Gif] {
            assert!(
                looked_at(&written(format), Purpose::TicketAttachment)
                    .unwrap()
                    .copy
                    .is_some()
            );
        }
        assert_eq!(
            looked_at(&written(ImageFormat::Gif), Purpose::PixProof).unwrap_err(),
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
        let copy = looked_at(&jpeg, Purpose::Avatar).unwrap().copy.unwrap();
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
        // The letters of "<scr" read as a width and a height of 29 500 and 29 283: no frame follows.
        assert_eq!(refused(b"GIF89a<script>alert(1)</script>"), Refusal::Damaged);
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

    /// A header that claims a size, with its checksum made right again.
    fn claiming(width: u32, height: u32) -> Vec<u8> {
        let mut png = written(ImageFormat::Png);
        png[16..20].copy_from_slice(&width.to_be_bytes());
        png[20..24].copy_from_slice(&height.to_be_bytes());
        let crc = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(&png[12..29]);
        png[29..33].copy_from_slice(&crc.to_be_bytes());
        png
    }

    #[test]
    fn what_is_too_large_is_refused_before_it_is_decoded() {
        // The pixels are not there: who looked at them would call it damaged.
        let claim = |w, h| plan(&claiming(w, h), Purpose::Avatar).map(|p| p.memory);
        assert_eq!(claim(30_000, 30_000), Err(Refusal::Dimensions));
        assert_eq!(claim(4096, 4097), Err(Refusal::Dimensions));
        for (width, height) in [(20_001, 1), (1, 100_000)] {
            assert_eq!(claim(width, height), Err(Refusal::Sides));
        }
        let most = claim(4096, 4096).unwrap();
        assert!((2 * 3 * MAX_PIXELS..decoding::LARGE).contains(&most), "{most}");
        assert!(claim(1080, 2400).unwrap() < 32 * 1024 * 1024);
        // Sixteen bits a channel, four channels: the heaviest there is.
        let mut heavy = claiming(4096, 4096);
        heavy[24..26].copy_from_slice(&[16, 6]);
        let crc = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(&heavy[12..29]);
        heavy[29..33].copy_from_slice(&crc.to_be_bytes());
        heavy.resize(8 * 1024 * 1024, 0);
        assert!(plan(&heavy, Purpose::PixProof).unwrap().memory <= decoding::LARGE);
    }

    #[test]
    fn an_animation_counts_with_all_its_frames_by_their_headers() {
        let animation = |side: u16, count: usize| {
            let mut out = Vec::new();
            let mut encoder = gif::Encoder::new(&mut out, side, side, &[0, 0, 0, 9, 9, 9]).unwrap();
            for _ in 0..count {
                // One pixel each, drawn on the whole canvas.
                let frame = gif::Frame::from_indexed_pixels(1, 1, vec![1], None);
                encoder.write_frame(&frame).unwrap();
            }
            drop(encoder);
            out
        };
        assert!(looked_at(&animation(64, 12), Purpose::Avatar).is_ok());
        assert_eq!(
            plan(&animation(2048, 4), Purpose::Avatar).map(|p| p.kind),
            Ok(Kind::Gif)
        );
        let many = animation(2048, 5);
        assert!(many.len() < 4_000);
        assert_eq!(plan(&many, Purpose::Avatar), Err(Refusal::Frames));
        assert_eq!(plan(&animation(2, 301), Purpose::Avatar), Err(Refusal::Frames));
        assert_eq!(
            plan(&animation(5_000, 1), Purpose::Avatar),
            Err(Refusal::Dimensions)
        );
    }

    #[test]
    fn a_small_file_does_not_become_a_large_one() {
        // Two rows that alternate: filters do not see it, patient packing does.
        let noise = |x: u32, y: u32| {
            (x.wrapping_mul(2_654_435_761) ^ ((y % 2) + 1).wrapping_mul(40_503)).wrapping_mul(2_246_822_519)
                >> 24
        };
        let stripes = image::GrayImage::from_fn(2_000, 2_000, |x, y| {
            image::Luma([u8::try_from(noise(x, y)).unwrap()])
        });
        let mut sent = Vec::new();
        stripes
            .write_with_encoder(PngEncoder::new_with_quality(
                &mut sent,
                CompressionType::Best,
                FilterType::NoFilter,
            ))
            .unwrap();
        let copy = looked_at(&sent, Purpose::PixProof).unwrap().copy.unwrap();
        assert!(copy.len() < 1024 * 1024, "{} from {}", copy.len(), sent.len());
    }

    #[test]
    fn documents_are_for_proofs_and_tickets() {
        let document = b"%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>>\ntrailer <</Root 1 0 R>>\nstartxref\n9\n%%EOF\n";
        assert_eq!(looked_at(document, Purpose::PixProof).unwrap().kind, Kind::Pdf);
        assert_eq!(refused(b"%PDF-1.4\n<html>"), Refusal::Damaged);
        assert_eq!(looked_at(document, Purpose::Avatar).unwrap_err(), Refusal::Type);
    }
}
