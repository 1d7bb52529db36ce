/** A list without marks and without room of its own: for what stacks or groups its items (`component="ul"` or `"ol"`). */
export const plainList = { m: 0, p: 0, style: { listStyle: 'none' } } as const;
