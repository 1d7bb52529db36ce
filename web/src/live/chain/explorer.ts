/** Where anybody can look a transaction up; none for a chain of our own. */
const EXPLORERS: Readonly<Record<number, string>> = {
  56: 'https://bscscan.com/tx/',
  97: 'https://testnet.bscscan.com/tx/',
};

export function explorer(chain: number, transaction: string): string | null {
  const base = EXPLORERS[chain];
  return base === undefined ? null : base + transaction;
}
