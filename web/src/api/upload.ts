/** Multipart upload with progress, which fetch cannot report. */
import { currentLocale } from '@/i18n';
import { HEADER_LOCALES } from '@/i18n/locales';
import { isLook, lookRefused } from './look';
import { ApiError } from './problem';
import { tokenAfter } from './refresh';
import { scaledForm } from './scaleDown';
import { accessToken } from './token';
import { apiUrl } from './url';

export interface UploadOptions {
  path: string;
  /** Its pictures are made to fit before they are sent. */
  form: FormData;
  /** What the server takes of one file; 8 MB by default. */
  maxBytes?: number;
  method?: 'POST' | 'PATCH';
  idempotencyKey?: string;
  onProgress?: (ratio: number) => void;
  signal?: AbortSignal;
}

const MAX_BYTES = 8 * 1024 * 1024;

export async function upload<T>(given: UploadOptions): Promise<T> {
  if (isLook) throw lookRefused();
  const options = { ...given, form: await scaledForm(given.form, given.maxBytes ?? MAX_BYTES) };
  given.signal?.throwIfAborted();
  const token = accessToken();
  const first = await once<T>(options, token);
  if (first.status !== 401 || token === null) return settled(first);
  const fresh = await tokenAfter(token);
  return settled(fresh === null ? first : await once<T>(options, fresh));
}

interface Answer<T> {
  status: number;
  body: T | null;
  retryAfter: number | null;
}

function settled<T>({ status, body, retryAfter }: Answer<T>): T {
  if (status >= 200 && status < 300) return body as T;
  throw new ApiError(status, (body ?? {}) as { code?: string; message?: string }, retryAfter);
}

function once<T>(
  { path, form, method = 'POST', idempotencyKey, onProgress, signal }: UploadOptions,
  token: string | null,
) {
  return new Promise<Answer<T>>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, apiUrl(path));
    request.responseType = 'json';
    request.setRequestHeader('locale', HEADER_LOCALES[currentLocale()]);
    request.setRequestHeader('X-Arbora', '1');
    if (token !== null) request.setRequestHeader('Authorization', `Bearer ${token}`);
    if (idempotencyKey) request.setRequestHeader('Idempotency-Key', idempotencyKey);
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress?.(event.loaded / event.total);
    };
    request.onload = () =>
      resolve({
        status: request.status,
        body: request.response as T | null,
        retryAfter: Number(request.getResponseHeader('Retry-After')) || null,
      });
    request.onerror = () => reject(new ApiError(0, { code: 'network' }));
    request.onabort = () => reject(new DOMException('aborted', 'AbortError'));
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}
