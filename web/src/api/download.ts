/** Files that need the session: fetched by the typed client, then offered by the browser under the server's name for them. */
import { ApiError, asApiError } from './problem';

export async function offer(
  call: Promise<{ data?: unknown; response: Response }>,
  fallback: string,
): Promise<void> {
  const { data, response } = await call;
  if (!(data instanceof Blob)) throw asApiError(null);
  hand(data, response, fallback);
}

/** How a list's whole file is asked for: its own call with `format=csv`, read as a stream. */
export type FileCall = (signal: AbortSignal) => Promise<{ data?: unknown; response: Response }>;

/** Saves a list's file; tells how many of its rows have come. A transfer that breaks off is an error, never a shorter file. */
export async function saveFile(
  call: FileCall,
  signal: AbortSignal,
  onRows: (come: number, total: number) => void,
  fallback: string,
): Promise<void> {
  const { response } = await call(signal);
  const total = Number(response.headers.get('X-Total-Rows') ?? Number.NaN);
  if (response.body === null || !Number.isInteger(total)) throw new ApiError(502, { code: 'empty_answer' });
  const reader = response.body.getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let lines = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(value);
      for (const byte of value) if (byte === 10) lines += 1;
      onRows(Math.min(lines, total), total);
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ApiError(0, { code: 'network' });
  }
  hand(new Blob(pieces, { type: 'text/csv;charset=utf-8' }), response, fallback);
}

function hand(file: Blob, response: Response, fallback: string) {
  const named = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
  save(file, named ?? fallback);
}

/** Offers what this page made as a file. */
export function save(data: Blob, name: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(data);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
