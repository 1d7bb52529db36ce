/** An address in fours, as people compare it by eye. */
export const inFours = (address: string): string =>
  `0x ${(address.replace(/^0x/, '').match(/.{1,4}/g) ?? []).join(' ')}`;
