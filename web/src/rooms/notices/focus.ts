/** A row's button of what its reader has not read; it goes as soon as it is pressed. */
export const MARKS = { 'data-marks': true } as const;

/** Gives the focus of such a button, which is about to go, to the next row that has one, down first, then up; where all is read, to the next row
 *  itself. Whoever has gone on meanwhile keeps theirs. */
export function handOn(button: HTMLElement | null) {
  const { activeElement, body } = document;
  if (activeElement !== button && activeElement !== body && activeElement !== null) return;
  const row = button?.closest<HTMLElement>('[data-row]');
  if (!row) return;
  const rows = [...(row.parentElement?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
  const at = rows.indexOf(row);
  const others = [...rows.slice(at + 1), ...rows.slice(0, at).reverse()];
  const marks = others.map((other) => other.querySelector<HTMLElement>('[data-marks]'));
  const next = marks.find((mark) => mark !== null) ?? others[0] ?? row;
  next.focus();
}
