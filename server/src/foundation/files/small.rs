//! Small pictures: what a list or a conversation shows of a large one. Squares for faces, and one that fits within a bound.
//!
//! Made of the decoded picture when it is taken in, and kept beside it; of older ones when they are first asked for (`late`). An animation's
//! are of its first frame.

use image::{
    DynamicImage, ImageResult, Rgba,
    codecs::{
        jpeg::JpegEncoder,
        png::{CompressionType, FilterType, PngEncoder},
    },
};
use serde::Deserialize;

/// The longer side of a picture in a conversation or on a card.
const PREVIEW: u32 = 1024;
const JPEG_QUALITY: u8 = 85;

/// A small picture, by what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
pub enum Small {
    /// The middle of it, 32 pixels a side.
    #[serde(rename = "32")]
    Square32,
    /// 64 pixels a side.
    #[serde(rename = "64")]
    Square64,
    /// 128 pixels a side.
    #[serde(rename = "128")]
    Square128,
    /// All of it, at most 1024 pixels a side.
    #[serde(rename = "preview")]
    Preview,
}

impl Small {
    pub(super) const SQUARES: [Self; 3] = [Self::Square32, Self::Square64, Self::Square128];

    pub(super) const fn ending(self) -> &'static str {
        match self {
            Self::Square32 => ".32",
            Self::Square64 => ".64",
            Self::Square128 => ".128",
            Self::Preview => ".preview",
        }
    }

    fn drawn(self, picture: &DynamicImage) -> DynamicImage {
        match self {
            Self::Square32 => square(picture, 32),
            Self::Square64 => square(picture, 64),
            Self::Square128 => square(picture, 128),
            Self::Preview if picture.width().max(picture.height()) <= PREVIEW => picture.clone(),
            Self::Preview => picture.thumbnail(PREVIEW, PREVIEW),
        }
    }
}

/// The middle of a picture, no larger than it is.
fn square(picture: &DynamicImage, side: u32) -> DynamicImage {
    let (width, height) = (picture.width(), picture.height());
    let all = width.min(height);
    let middle = picture.crop_imm((width - all) / 2, (height - all) / 2, all, all);
    if all <= side {
        middle
    } else {
        // Each pixel of the large one counts once: quick, and without what a blown-up copy would take.
        middle.thumbnail_exact(side, side)
    }
}

/// A photo is packed as one; what shows through stays so.
fn packed(picture: &DynamicImage) -> ImageResult<Vec<u8>> {
    let mut bytes = Vec::new();
    if picture.color().has_alpha() {
        let colours = picture.to_rgba8();
        if colours.pixels().any(|Rgba([.., alpha])| *alpha < u8::MAX) {
            let encoder =
                PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, FilterType::Adaptive);
            colours.write_with_encoder(encoder)?;
            return Ok(bytes);
        }
    }
    let encoder = JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY);
    picture.to_rgb8().write_with_encoder(encoder)?;
    Ok(bytes)
}

/// The small ones of a decoded picture. Heavy: off the async threads.
pub(super) fn of(picture: &DynamicImage, wanted: &[Small]) -> ImageResult<Vec<(Small, Vec<u8>)>> {
    let each = wanted.iter();
    each.map(|small| Ok((*small, packed(&small.drawn(picture))?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{GenericImageView, ImageFormat, RgbImage, RgbaImage};

    fn read(bytes: &[u8]) -> (ImageFormat, DynamicImage) {
        (
            image::guess_format(bytes).unwrap(),
            image::load_from_memory(bytes).unwrap(),
        )
    }

    /// Red to the left, green in the middle third, blue to the right.
    fn flag(width: u32, height: u32) -> DynamicImage {
        RgbImage::from_fn(width, height, |x, _| match x * 3 / width {
            0 => image::Rgb([250, 0, 0]),
            1 => image::Rgb([0, 250, 0]),
            _ => image::Rgb([0, 0, 250]),
        })
        .into()
    }

    #[test]
    fn squares_are_the_middle_and_never_larger_than_the_picture() {
        let made = of(&flag(900, 300), &Small::SQUARES).unwrap();
        for ((_, bytes), side) in made.iter().zip([32, 64, 128]) {
            let (format, picture) = read(bytes);
            assert_eq!((format, picture.dimensions()), (ImageFormat::Jpeg, (side, side)));
            for at in [0, side / 2, side - 1] {
                let Rgba([red, green, blue, _]) = picture.get_pixel(at, side / 2);
                assert!(
                    green > 220 && red < 30 && blue < 30,
                    "{red} {green} {blue} at {at}"
                );
            }
        }
        let of_small = of(&flag(20, 40), &Small::SQUARES).unwrap();
        for (_, bytes) in &of_small {
            assert_eq!(read(bytes).1.dimensions(), (20, 20));
        }
    }

    #[test]
    fn a_preview_fits_and_shows_all() {
        for (from, to) in [
            ((4096, 1024), (1024, 256)),
            ((300, 200), (300, 200)),
            ((4000, 1), (1024, 1)),
        ] {
            let made = of(&flag(from.0, from.1), &[Small::Preview]).unwrap();
            assert_eq!(read(&made[0].1).1.dimensions(), to, "{from:?}");
        }
    }

    #[test]
    fn what_shows_through_stays_so() {
        let clear: DynamicImage = RgbaImage::from_pixel(200, 200, Rgba([9, 9, 9, 0])).into();
        let made = of(&clear, &[Small::Square64]).unwrap();
        let (format, picture) = read(&made[0].1);
        assert_eq!(format, ImageFormat::Png);
        assert_eq!(picture.get_pixel(5, 5).0[3], 0);
        let full: DynamicImage = RgbaImage::from_pixel(200, 200, Rgba([9, 9, 9, 255])).into();
        assert_eq!(
            read(&of(&full, &[Small::Square64]).unwrap()[0].1).0,
            ImageFormat::Jpeg
        );
    }
}
