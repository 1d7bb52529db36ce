// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { QUEUES } from '@/api/queues';
import { shownOf } from './words';

test('a word that falls renews what shows it: the preview, what waits, and the lists of its kind', () => {
  const always = ['/admin/approvals/preview', '/admin/waiting'];
  expect(shownOf('result_reversal')).toEqual([...always, '/admin/robots/{robotId}/operations']);
  expect(shownOf('pix_reversal')).toEqual([...always, QUEUES.pixDeposits.list]);
  expect(shownOf('of another kind')).toEqual(always);
});
