/** The ticket that comes after the one on screen: down the list of who waits and from its top again, where no colleague looks already if there
 *  is such a one. */
export function nextWaiting(
  waiting: readonly { _id: string }[],
  current: string,
  taken: ReadonlyMap<string, unknown>,
): string | null {
  const at = waiting.findIndex(({ _id }) => _id === current);
  const round = [...waiting.slice(at + 1), ...waiting.slice(0, Math.max(at, 0))].map(({ _id }) => _id);
  return round.find((id) => !taken.has(id)) ?? round[0] ?? null;
}
