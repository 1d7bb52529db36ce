/** Written by `make generate` from the API document: why a socket was closed (`x-websocket`). Not to be edited. */
export const CLOSE = {
  authTimeout: 4000,
  unauthenticated: 4001,
  revoked: 4002,
  scopeChanged: 4003,
  slow: 4004,
  tooMany: 4005,
  badMessage: 4006,
  goingAway: 4007,
  tooLarge: 1009,
} as const;
