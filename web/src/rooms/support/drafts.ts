/** What somebody has begun to write, kept per person and ticket until it is sent. */
const key = (user: string, ticket: string) => `draft:${user}:${ticket}`;

export function readDraft(user: string, ticket: string): string {
  try {
    return localStorage.getItem(key(user, ticket)) ?? '';
  } catch {
    return '';
  }
}

export function keepDraft(user: string, ticket: string, text: string) {
  try {
    if (text.trim() === '') localStorage.removeItem(key(user, ticket));
    else localStorage.setItem(key(user, ticket), text);
  } catch {
    // A browser that keeps nothing: the draft lives as long as the screen.
  }
}
