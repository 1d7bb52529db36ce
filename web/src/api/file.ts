/** A file that only some may see: fetched with our token, which a plain link could not carry. */
import { send } from './client';
import { problemOf } from './problem';
import { apiUrl } from './url';

export const PICTURES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif'];

/** The small pictures that the server keeps of one: squares of a face by their side, and what fits a card or a conversation. */
export type Size = '32' | '64' | '128' | 'preview';

export async function fetchFile(file: string, signal?: AbortSignal, size?: Size): Promise<Blob> {
  const path = size === undefined ? `/files/${file}` : `/files/${file}?size=${size}`;
  const response = await send(new Request(apiUrl(path), { ...(signal && { signal }) }));
  if (!response.ok) throw await problemOf(response);
  return response.blob();
}
