/** A file that needs the session, shown from memory. */
import { useEffect, useState } from 'react';
import { send } from '@/api/client';
import { problemOf } from '@/api/problem';
import { apiUrl } from '@/api/url';

/** Pictures that a page may show from memory; a blob of ours must not become a page. */
const SHOWN = ['image/png', 'image/jpeg', 'image/gif'];

export async function fetchFile(file: string, signal?: AbortSignal): Promise<Blob> {
  const response = await send(new Request(apiUrl(`/files/${file}`), { ...(signal && { signal }) }));
  if (!response.ok) throw await problemOf(response);
  return response.blob();
}

/** The address of a picture in memory; none until it is there, or where it cannot be. */
export function usePicture(file: string | null | undefined): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    setUrl(null);
    if (!file) return;
    const stop = new AbortController();
    let made: string | null = null;
    fetchFile(file, stop.signal).then(
      (blob) => {
        if (stop.signal.aborted || !SHOWN.includes(blob.type)) return;
        made = URL.createObjectURL(blob);
        setUrl(made);
      },
      () => {},
    );
    return () => {
      stop.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [file]);
  return url;
}
