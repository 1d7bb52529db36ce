/** From oneself down to somebody, as it stands in the address: `id~name.id~name`. Usernames hold neither sign. */

export interface Step {
  id: string;
  name: string;
}

export const stepsOf = (text: string | undefined): Step[] =>
  (text ?? '')
    .split('.')
    .map((step) => step.split('~'))
    .flatMap(([id, name]) => (id && name ? [{ id, name }] : []));

/** Nothing for oneself. */
export const textOf = (steps: readonly Step[]): string | null =>
  steps.length === 0 ? null : steps.map(({ id, name }) => `${id}~${name}`).join('.');
