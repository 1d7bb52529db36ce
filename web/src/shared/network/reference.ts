/** The link by which others register below somebody. */
export const referenceLink = (username: string): string =>
  new URL(`/ref/${encodeURIComponent(username)}`, location.origin).href;
