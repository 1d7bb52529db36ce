/** One error type for every refused or failed call; `code` and `message` come from the server, in the caller's language. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: Readonly<Record<string, readonly string[]>>;
  readonly retryAfter: number | null;

  constructor(
    status: number,
    body: { code?: string; message?: string; errors?: Record<string, string[]> | null },
    retryAfter: number | null = null,
  ) {
    super(body.message || body.code || `HTTP ${status}`);
    this.name = 'ApiError';
    this.status = status;
    this.code = body.code ?? (status === 0 ? 'network' : 'unknown');
    this.errors = body.errors ?? {};
    this.retryAfter = retryAfter;
  }

  /** The server was not reached or could not answer: the same call may succeed later. */
  get unavailable() {
    return this.status === 0 || this.status >= 500 || this.status === 429;
  }

  /** Tells that it did not work and nothing of why: no answer, a fault of the server's, a page that is not ours. */
  get unexplained() {
    return this.status === 0 || this.status >= 500 || this.code === 'unknown';
  }

  /** The first message for a field, for a form. */
  field(name: string): string | undefined {
    return this.errors[name]?.[0];
  }
}

/** One's own profile could not be fetched, whatever was done before that. */
export class ProfileError extends ApiError {
  constructor(cause: ApiError) {
    super(cause.status, { code: cause.code, message: cause.message }, cause.retryAfter);
    this.name = 'ProfileError';
  }
}

export const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(0, { code: 'network' });

export async function problemOf(response: Response): Promise<ApiError> {
  const header = response.headers.get('Retry-After');
  const seconds = header === null ? Number.NaN : Number(header);
  const retryAfter = Number.isFinite(seconds) ? seconds : null;
  let body: unknown = null;
  try {
    body = await response.json();
  } catch {
    // A proxy's page instead of our JSON: the status says enough.
  }
  return new ApiError(response.status, isProblem(body) ? body : {}, retryAfter);
}

function isProblem(
  body: unknown,
): body is { code: string; message: string; errors?: Record<string, string[]> } {
  return typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string';
}
