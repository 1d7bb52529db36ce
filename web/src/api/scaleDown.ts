/**
 * Makes pictures fit before they are sent: the server takes 16 megapixels and some megabytes, cameras make more.
 *
 * JPEG and PNG keep their type; the turn that a camera only notes is drawn into the pixels. A GIF may be an animation and a
 * document is no picture: those go as they are, and so does what this browser cannot read. The server decides about them.
 */

/** A little below what the server takes (4096 × 4096), which is also the most that some telephones draw. */
const MAX_PIXELS = 16_000_000;
const TYPES = ['image/jpeg', 'image/png'];
const QUALITY = 0.9;
/** Each step makes the picture smaller until it has few enough bytes. */
const STEPS = 6;

/** The largest size with at most so many pixels, in the same proportion. */
export function fitted(width: number, height: number, pixels: number): { width: number; height: number } {
  const ratio = Math.min(1, Math.sqrt(pixels / (width * height)));
  const scaled = (side: number) => Math.max(1, Math.floor(side * ratio));
  return { width: scaled(width), height: scaled(height) };
}

/** Whether a picture of this type is made to fit. */
export const scales = (file: File): boolean => TYPES.includes(file.type);

/** The form with its pictures made to fit. */
export async function scaledForm(form: FormData, maxBytes: number): Promise<FormData> {
  const scaled = new FormData();
  for (const [name, value] of form)
    if (typeof value === 'string') scaled.append(name, value);
    else scaled.append(name, await scaleDown(value, maxBytes), value.name);
  return scaled;
}

export async function scaleDown(file: File, maxBytes: number): Promise<File> {
  if (!scales(file)) return file;
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => null);
  if (!bitmap) return file;
  try {
    if (bitmap.width * bitmap.height <= MAX_PIXELS && file.size <= maxBytes) return file;
    let pixels = Math.min(MAX_PIXELS, bitmap.width * bitmap.height);
    for (let step = 0; step < STEPS; step++) {
      const drawn = await draw(bitmap, file.type, pixels);
      // A browser that cannot write this type writes another one.
      if (drawn?.type !== file.type) return file;
      if (drawn.size <= maxBytes)
        return new File([drawn], file.name, { type: file.type, lastModified: file.lastModified });
      pixels *= Math.min(0.8, (0.9 * maxBytes) / drawn.size);
    }
    return file;
  } finally {
    bitmap.close();
  }
}

async function draw(bitmap: ImageBitmap, type: string, pixels: number): Promise<Blob | null> {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, fitted(bitmap.width, bitmap.height, pixels));
  const pen = canvas.getContext('2d');
  if (!pen) return null;
  pen.imageSmoothingQuality = 'high';
  pen.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, type, QUALITY));
}
