/** One's own picture: cut to a square, sent, taken off. */
import type { Area } from 'react-easy-crop';
import { api, type Schemas } from '@/api/client';
import { mutation } from '@/api/mutation';
import { upload } from '@/api/upload';
import { reread } from './reread';

/** docs/rules/identity.md */
export const AVATAR_BYTES = 4 * 1024 * 1024;
/** Fine enough for the largest place that shows it. */
const SIDE = 512;
const QUALITY = 0.9;

interface Sent {
  file: File;
  onProgress: (ratio: number) => void;
}

export const putAvatar = mutation({
  send: async ({ file, onProgress }: Sent) => {
    const form = new FormData();
    form.append('file', file, file.name);
    await upload<Schemas['AvatarAnswer']>({
      path: '/me/upload-image',
      form,
      maxBytes: AVATAR_BYTES,
      onProgress,
    });
    await reread();
  },
  changes: [],
});

export const removeAvatar = mutation({
  send: async (_: null) => {
    await api.DELETE('/me/avatar');
    await reread();
  },
  changes: [],
});

/** What somebody chose of a picture, as a square file; null where this browser cannot draw it. A picture with an empty ground keeps it. */
export async function cut(image: HTMLImageElement, area: Area, type: string): Promise<File | null> {
  const canvas = document.createElement('canvas');
  canvas.width = SIDE;
  canvas.height = SIDE;
  const pen = canvas.getContext('2d');
  if (!pen) return null;
  pen.imageSmoothingQuality = 'high';
  pen.drawImage(image, area.x, area.y, area.width, area.height, 0, 0, SIDE, SIDE);
  const kept = type === 'image/jpeg' ? type : 'image/png';
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, kept, QUALITY));
  return blob && new File([blob], kept === 'image/jpeg' ? 'avatar.jpg' : 'avatar.png', { type: kept });
}
