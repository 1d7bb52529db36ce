/** Eleven digits, or twelve letters and digits and two more digits; the server checks the check digits. */
export const looksLikeDocument = (text: string): boolean =>
  /^(\d{11}|[0-9A-Z]{12}\d{2})$/.test(text.replace(/[.\-/\s]/g, '').toUpperCase());
