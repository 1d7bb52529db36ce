/** What a person was paid by: bonuses and results move it. */
export const PAID_BY = '/dashboard/paid-by';
