/** The ticket that comes after the one on screen: down the list of who waits and from its top again, where no colleague is at it already (looks at it,
 *  or has taken it) if there is such a one. */
export function nextWaiting<T extends { _id: string }>(
  waiting: readonly T[],
  current: string,
  isWith: (ticket: T) => boolean,
): string | null {
  const at = waiting.findIndex(({ _id }) => _id === current);
  const round = [...waiting.slice(at + 1), ...waiting.slice(0, Math.max(at, 0))];
  return (round.find((ticket) => !isWith(ticket)) ?? round[0])?._id ?? null;
}
