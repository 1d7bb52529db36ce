/** The calls that buy a licence, move money in, out of and between licences, and give one back. */
import { api, body, type Schemas } from '@/api/client';
import { mutation } from '@/api/mutation';
import { put } from '@/live/licences';

/** Where it shows that money has moved. Balances come with facts. */
export const MONEY = ['/activity', '/statement', '/dashboard/my-results', '/outbound-state'] as const;
/** What hangs on a licence's capital besides: how much it may borrow, and how much one's own hand may take of it. */
export const CAPITAL = [...MONEY, '/licences/{licence}/loan-terms', '/trader/manual'] as const;

type Moved = Schemas['LicenceMoved'];

/** The answer is the licence itself, beside the movements in the books. */
export const keep = ({ transfers: _, ...after }: Moved) => put([after]);

export const buyLicence = mutation({
  send: (order: { plan: string; source: 'available' | 'sponsored' }, key) =>
    body(
      api.POST('/licences/buy', {
        params: { header: { 'Idempotency-Key': key } },
        body: { ...order, riskAccepted: true },
      }),
    ),
  patch: keep,
  changes: [...CAPITAL, '/me/acceptances'],
});

export const cancelLicence = mutation({
  send: (licence: string, key) =>
    body(api.POST('/licences/cancel', { params: { header: { 'Idempotency-Key': key } }, body: { licence } })),
  patch: keep,
  changes: CAPITAL,
});

const OWN = ['available', 'bonus', 'sponsored'] as const;
export type OwnSource = (typeof OWN)[number];
const isOwn = (source: string): source is OwnSource => (OWN as readonly string[]).includes(source);

export type Move = 'topup' | 'allocate' | 'relocate' | 'capital' | 'yield';

interface MoveOrder {
  move: Move;
  licence: string;
  value: string;
  /** Of a top-up: one of one's own balances, or the licence whose yield it is. */
  source: string;
  /** Of a relocation: another licence; none is the own top-up. */
  target: string | null;
}

export const moveMoney = mutation({
  send: ({ move, licence, value, source, target }: MoveOrder, key): Promise<Moved> => {
    const params = { header: { 'Idempotency-Key': key } };
    const amount = { licence, value };
    switch (move) {
      case 'topup': {
        const from = isOwn(source) ? { source } : ({ source: 'yield', sourceLicence: source } as const);
        return body(api.POST('/licences/topup', { params, body: { ...amount, ...from } }));
      }
      case 'allocate':
        return body(api.POST('/trader/allocate-value-in-trading', { params, body: amount }));
      case 'relocate': {
        const order = { from: licence, value, ...(target !== null && { to: target }) };
        return body(api.POST('/trader/relocate-value', { params, body: order }));
      }
      case 'capital':
        return body(api.POST('/licences/capital-withdraw', { params, body: amount }));
      case 'yield':
        return body(api.POST('/trader/robot-withdraw', { params, body: amount }));
    }
  },
  patch: keep,
  changes: CAPITAL,
});
