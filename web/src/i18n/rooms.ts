/** Where the texts of the screens behind the sign-in are: whoever only signs in does not wait for their table. */
export const files = import.meta.glob<{ default: Record<string, unknown> }>([
  './*/*.json',
  '!./*/{common,login,identity,legal}.json',
  // Of the worker and of its page, which bring them along.
  '!./*/installed.json',
]);
