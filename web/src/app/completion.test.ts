import { describe, expect, test } from 'vitest';
import { mustComplete } from './completion';

const of = (missing: string[], termsBefore: boolean) => ({ missing, termsBefore });

describe('what an account lacks comes before everything', () => {
  test('whatever is missing, the mail address aside', () => {
    for (const name of ['terms', 'risk', 'adult', 'address', 'upline'])
      expect(mustComplete(of([name], false), '/wallet/my-withdrawals-pix')).toBe(true);
    expect(mustComplete(of([], false), '/')).toBe(false);
    expect(mustComplete(of(['email'], false), '/')).toBe(false);
  });

  test('newer terms never stand before one’s own money', () => {
    const newer = of(['terms', 'risk'], true);
    for (const path of [
      '/wallet/my-withdrawals-pix',
      '/wallet/my-withdrawals',
      '/customer/extrato',
      '/support',
      '/support/new-ticket',
    ])
      expect(mustComplete(newer, path)).toBe(false);
    for (const path of ['/', '/licences', '/wallet/my-deposits', '/customer/extrato-x', '/supporters'])
      expect(mustComplete(newer, path)).toBe(true);
    expect(mustComplete(of(['terms', 'address'], true), '/customer/extrato')).toBe(true);
  });
});
