/** Files that need the session: fetched by the typed client, then offered by the browser under the server's name for them. */
import { asApiError } from './problem';

export async function offer(
  call: Promise<{ data?: unknown; response: Response }>,
  fallback: string,
): Promise<void> {
  const { data, response } = await call;
  if (!(data instanceof Blob)) throw asApiError(null);
  const named = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
  const link = document.createElement('a');
  link.href = URL.createObjectURL(data);
  link.download = named ?? fallback;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
