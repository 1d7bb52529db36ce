/** The readable cookie `signed_in=1` says that asking for a profile makes sense; the refresh token's own cannot be read. It lasts as long
 *  as that one, and goes with a sign-out. */
export const hasSessionCookie = () => /(?:^|;\s*)signed_in=1(?:;|$)/.test(document.cookie);
