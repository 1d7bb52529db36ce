/** How the server makes a username from a name, but for the number that it draws [docs/rules/identity.md]. Pure. */
const NAME_PART = 13;

/** The letters, lower-case, without accents: "José Antônio" is "joseantonio". Null where there are none, or such as only the server
 *  writes out ("ß", "李"): what is not known is not shown. */
export function usernameStem(fullName: string): string | null {
  const bare = fullName.normalize('NFD').replace(/\p{M}/gu, '');
  if (/[^\P{L}a-zA-Z]/u.test(bare)) return null;
  const letters = bare
    .replace(/[^a-zA-Z]/g, '')
    .toLowerCase()
    .slice(0, NAME_PART);
  return letters || null;
}
