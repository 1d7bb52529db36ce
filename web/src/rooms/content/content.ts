/** The calls of content, and the few words that its screens share. */
import { api, body, type Schemas } from '@/api/client';
import { mutation } from '@/api/mutation';
import { upload } from '@/api/upload';

export type Item = Schemas['ContentView'];
export type StaffItem = Schemas['StaffContentView'];
export type Kind = Schemas['ContentKind'];
export type Attached = Schemas['ContentFile'];

const MEGABYTE = 1024 * 1024;
export const MAX_TITLE = 120;
export const MAX_TEXT = 20_000;
export const MAX_ORDER = 9_999;
export const COVER = {
  accept: { 'image/png': ['.png'], 'image/jpeg': ['.jpg', '.jpeg'] },
  most: 4 * MEGABYTE,
};
export const FILE = {
  accept: {
    'image/png': ['.png'],
    'image/jpeg': ['.jpg', '.jpeg'],
    'image/gif': ['.gif'],
    'application/pdf': ['.pdf'],
    'video/mp4': ['.mp4'],
    'video/webm': ['.webm'],
  },
  most: 64 * MEGABYTE,
};

export type FileKind = 'video' | 'image' | 'pdf';
export const kindOf = ({ mime }: Attached): FileKind =>
  mime.startsWith('video/') ? 'video' : mime.startsWith('image/') ? 'image' : 'pdf';

const ADMIN = '/admin/content';
const at = (id: string) => ({ params: { path: { id } } });

/** How far somebody came; the cards that show it are asked for again. */
export const keepProgress = mutation({
  send: ({ id, ...made }: { id: string; seconds: number; done?: boolean }) =>
    body(api.POST('/content/{id}/progress', { ...at(id), body: made })),
  changes: ['/content', '/content/{id}'],
});

/** While a video runs: no card changes before its end. */
export const keepPlace = (id: string, seconds: number) =>
  body(api.POST('/content/{id}/progress', { ...at(id), body: { seconds } }));

export interface Draft {
  kind: Kind;
  language: Item['language'];
  title: string;
  text: string;
  order: number | null;
}

/** A new draft under the form's own id, or what has changed of one. */
export const saveItem = mutation({
  send: ({ id, item, draft }: { id: string; item: StaffItem | null; draft: Draft }) => {
    const { kind, order, ...words } = draft;
    return body(
      item
        ? api.PATCH('/admin/content/{id}', {
            ...at(item._id),
            body: { ...words, ...(order !== null && { order }), version: item.version },
          })
        : api.POST(ADMIN, { body: { ...words, id, kind, ...(order !== null && { order }) } }),
    );
  },
  changes: [ADMIN, '/admin/content/{id}', '/content', '/content/{id}'],
});

export const setStatus = mutation({
  send: ({ item, status }: { item: StaffItem; status: StaffItem['status'] }) =>
    body(api.PATCH('/admin/content/{id}', { ...at(item._id), body: { status, version: item.version } })),
  changes: [ADMIN, '/admin/content/{id}', '/content', '/content/{id}'],
  always: true,
});

export const deleteItem = mutation({
  send: async (id: string) => {
    await api.DELETE('/admin/content/{id}', at(id));
  },
  changes: [ADMIN, '/content'],
});

interface Sending {
  id: string;
  slot: 'file' | 'cover';
  file: File;
  onProgress: (part: number) => void;
}

export const putFile = mutation({
  send: ({ id, slot, file, onProgress }: Sending) => {
    const form = new FormData();
    form.append('file', file);
    return upload<StaffItem>({
      path: `${ADMIN}/${id}/${slot}`,
      form,
      maxBytes: slot === 'file' ? 8 * MEGABYTE : COVER.most,
      onProgress,
    });
  },
  changes: [ADMIN, '/admin/content/{id}', '/content', '/content/{id}'],
});

export const dropFile = mutation({
  send: ({ id, slot }: { id: string; slot: 'file' | 'cover' }) =>
    body(
      slot === 'file'
        ? api.DELETE('/admin/content/{id}/file', at(id))
        : api.DELETE('/admin/content/{id}/cover', at(id)),
    ),
  changes: [ADMIN, '/admin/content/{id}', '/content', '/content/{id}'],
});
