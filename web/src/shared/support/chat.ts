/** The house's chat is at WhatsApp's own address and nowhere else. */
export const isChat = (url: string | null | undefined): url is string =>
  /^https:\/\/wa\.me\/\d{8,15}$/.test(url ?? '');
