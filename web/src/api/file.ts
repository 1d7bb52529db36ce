/** A file that only some may see: fetched with our token, which a plain link could not carry. */
import { send } from './client';
import { problemOf } from './problem';
import { apiUrl } from './url';

export const PICTURES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif'];

export async function fetchFile(file: string, signal?: AbortSignal): Promise<Blob> {
  const response = await send(new Request(apiUrl(`/files/${file}`), { ...(signal && { signal }) }));
  if (!response.ok) throw await problemOf(response);
  return response.blob();
}
