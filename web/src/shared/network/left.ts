/** The server's names of accounts whose owners have left: nobody is called like that [docs/rules/privacy.md#closing]. */
const LEFT = 'closed-';

export const hasLeft = (username: string) => username.startsWith(LEFT);
