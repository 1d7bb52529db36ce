/** A customer's own wallet on the chain, as the server tells it. */

import { ahead, HOUR, JUST_NOW, MINUTE } from './clock';
import { OUTBOUND } from './fixtures';
import { refuse } from './stub';

export const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const OTHER = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const HASH = '0x5b2a0a9c6ad3f7f3c0de2f1f3f5f7c9a1b2c3d4e5f60718293a4b5c6d7e8f901';
const wei = (whole: number | string) => {
  const [coins = '0', rest = ''] = String(whole).split('.');
  return BigInt(coins + rest.padEnd(18, '0')).toString();
};

const move = (number: number, more: object) => ({
  _id: `018f0000-0000-7000-8000-0000000001${String(number).padStart(2, '0')}`,
  kind: 'send',
  status: 'mined',
  coin: 'usdt',
  wei: wei(40.5),
  counterparty: OTHER,
  coinOut: null,
  minimum: null,
  received: null,
  gas: wei('0.000105'),
  transaction: HASH,
  block: 41_233_904,
  reason: null,
  created_at: '2026-11-20T14:32:00Z',
  updatedAt: '2026-11-20T14:33:00Z',
  version: 3,
  ...more,
});

const SWAP = { kind: 'swap', counterparty: null, coinOut: 'pyx', wei: wei(10), minimum: wei('19.9') };
export const MOVES = [
  move(1, { status: 'queued', transaction: null, block: null, gas: null }),
  move(2, { ...SWAP, status: 'sent', block: null, gas: null }),
  move(3, { ...SWAP, received: wei('19.940129') }),
  move(4, { ...SWAP, status: 'failed', reason: 'slippage' }),
  move(5, { kind: 'receive', coin: 'bnb', wei: wei('0.2'), gas: null }),
  move(6, {}),
];

const state = { ...OUTBOUND, spendable: '100.000000', whitelistOn: true };
const wallet = {
  address: ADDRESS,
  chainId: 31337,
  coins: ['bnb', 'usdt', 'busd', 'pyx'],
  swaps: true,
  created_at: '2026-11-01T12:00:00Z',
};
const balances = (amounts: readonly [string, string, string, string | null][]) => ({
  address: ADDRESS,
  data: amounts.map(([coin, whole, aside, usdt]) => ({ coin, wei: wei(whole), aside: wei(aside), usdt })),
  total: '1342.500000',
  at: JUST_NOW,
});
const entries = [
  {
    kind: 'chain',
    destination: OTHER,
    label: 'Cofre',
    usableAt: ahead(8 * HOUR),
  },
  { kind: 'pix', destination: 'marina@exemplo.com.br', label: '', usableAt: '2026-11-02T12:00:00Z' },
  { kind: 'member', destination: 'ana21', label: 'Ana', usableAt: '2026-11-02T12:00:00Z' },
].map((entry, at) => ({
  _id: `018f0000-0000-7000-8000-0000000002${at}0`,
  created_at: '2026-11-01T12:00:00Z',
  ...entry,
}));
const page = (data: unknown[]) => ({ data, meta: { page: 1, limit: 10, total: data.length, lastPage: 1 } });

const quoted = {
  address: OTHER,
  value: '40.5',
  amount: '40.5 USDT',
  max: '100',
  fee: wei('0.000105'),
  feeMost: wei('0.00042'),
  feeUsdt: '0.063000',
  usdt: '40.500000',
  gasMissing: false,
};
export const swapQuote = (more: object = {}) => ({
  value: '10',
  max: '100',
  amount: '10 USDT',
  destination: 'PYX',
  out: wei('19.940129'),
  minimum: wei('19.840428'),
  route: ['usdt', 'pyx'],
  impact: '0.04',
  approval: true,
  fee: wei('0.00029'),
  feeMost: wei('0.00116'),
  feeUsdt: '0.174000',
  gasMissing: false,
  quote: '19940129.1.ab',
  at: JUST_NOW,
  expiresAt: ahead(MINUTE),
  ...more,
});

const BALANCES = `GET /web3/readWalletBalances/${ADDRESS}`;
const HISTORY = `GET /web3/historic_wallet/${ADDRESS}`;
const DOWN = refuse(503, 'chain.unavailable', 'A rede não responde agora. Tente de novo.');

export const AT_HAND = {
  'GET /outbound-state': state,
  'POST /web3/wallet': wallet,
  [BALANCES]: balances([
    ['bnb', '1.0425', '0.00042', '625.500000'],
    ['usdt', '700', '40.5', '700.000000'],
    ['busd', '0', '0', '0.000000'],
    ['pyx', '34.1234', '0', '17.000000'],
  ]),
  [HISTORY]: page(MOVES),
  'GET /whitelist': { on: true, offAt: null, entries },
  'POST /security-code': { method: 'email' },
  'POST /web3/transferToken/quote': quoted,
  'POST /web3/swapTokens/quote': swapQuote(),
  'POST /web3/reveal-secret-phrase': {
    phrase: 'legal winner thank year wave sausage worth useful legal winner thank yellow',
    derivationPath: "m/44'/60'/0'/0/0",
  },
};
export const EMPTY = {
  ...AT_HAND,
  [BALANCES]: balances([
    ['bnb', '0', '0', '0.000000'],
    ['usdt', '0', '0', '0.000000'],
    ['busd', '0', '0', '0.000000'],
    ['pyx', '0', '0', null],
  ]),
  [HISTORY]: page([]),
  'GET /whitelist': { on: false, offAt: null, entries: [] },
};
export const FAILING = { ...AT_HAND, [BALANCES]: DOWN, [HISTORY]: DOWN, 'GET /whitelist': DOWN };
