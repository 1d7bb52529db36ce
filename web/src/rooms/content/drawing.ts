/** Draws a share card: by this browser alone, nothing is sent anywhere. */
import type { CardWords, Format, Measure } from './card';
import { sheetOf } from './card';

const FONT = '"Inter Variable", Inter, system-ui, sans-serif';
const fontOf = (size: number, weight: number) => `${weight} ${size}px ${FONT}`;

/** The card on a canvas, with the code that another one holds. */
export function draw(canvas: HTMLCanvasElement, card: CardWords, format: Format, code: HTMLCanvasElement) {
  const pen = canvas.getContext('2d');
  if (!pen) return;
  const measure: Measure = (text, size, weight) => {
    pen.font = fontOf(size, weight);
    return pen.measureText(text).width;
  };
  const sheet = sheetOf(card, format, measure);
  Object.assign(canvas, { width: sheet.width, height: sheet.height });
  const ground = pen.createLinearGradient(0, 0, sheet.width, sheet.height);
  ground.addColorStop(0, '#0b1016');
  ground.addColorStop(0.6, '#10201d');
  ground.addColorStop(1, '#0c2a20');
  pen.fillStyle = ground;
  pen.fillRect(0, 0, sheet.width, sheet.height);
  if (sheet.frame) {
    const { x, y, width, height } = sheet.frame;
    pen.strokeStyle = '#f6c863';
    pen.lineWidth = 2;
    pen.beginPath();
    pen.roundRect(x, y, width, height, 20);
    pen.stroke();
  }
  const { x, y, width, height } = sheet.qr;
  pen.fillStyle = '#ffffff';
  pen.beginPath();
  pen.roundRect(x, y, width, height, 20);
  pen.fill();
  const edge = 20;
  pen.imageSmoothingEnabled = false;
  pen.drawImage(code, x + edge, y + edge, width - 2 * edge, height - 2 * edge);
  pen.textBaseline = 'alphabetic';
  for (const { text, x: left, y: base, size, weight, color } of sheet.words) {
    pen.font = fontOf(size, weight);
    pen.fillStyle = color;
    pen.fillText(text, left, base);
  }
}

export const pictureOf = (canvas: HTMLCanvasElement): Promise<Blob> =>
  new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png');
  });
