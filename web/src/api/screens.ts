/** Where a queue of staff is decided: its line of the table says the screen, and often a tab of it. */

interface Screen {
  screen: string;
}

/** The page alone. Several queues may share one. */
export const pageOf = ({ screen }: Screen): string => screen.split('?')[0] ?? screen;

/** The page with what it is asked to show, on the queue's own tab unless another is named. */
export function screenAt({ screen }: Screen, asked: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(screen.split('?')[1]);
  for (const [name, value] of Object.entries(asked)) search.set(name, value);
  return `${pageOf({ screen })}?${search}`;
}
