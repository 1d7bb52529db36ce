// @vitest-environment jsdom
/** Today's line and today's figure are one. */
import { beforeEach, expect, test } from 'vitest';
import { beginDay, clearLicences, type Licence, put, recall, settled, useLicences } from './licences';
import type { RobotTick } from './protocol';

const robot = (id: string, today: string, version = 1) =>
  ({ _id: id, number: 1, today, version, robotStatus: 'operating', state: 'active' }) as Licence;
const tick = (licence: string, today: string, version: number) =>
  ({ licence, today, version, status: 'operating', loan: '0.000000' }) as RobotTick;
const end = () => useLicences.getState().line.at(-1)?.value;
const settle = async (robots: RobotTick[], at: number) => {
  settled({ robots, mode: 'simulated', at });
  // Settlements of one frame are drawn together.
  await expect
    .poll(() => useLicences.getState().byId[robots[0]?.licence ?? '']?.version)
    .toBe(robots[0]?.version);
};

beforeEach(clearLicences);

test('the line ends in what all robots brought, whoever told it', async () => {
  put([robot('a', '4.003511'), robot('b', '2.979889')]);
  expect(end()).toBe(6.9834);
  await settle([tick('b', '3.979889', 2)], Date.now());
  expect(end()).toBe(7.9834);
  // An answer that is newer than the last fact, after a gap.
  put([robot('b', '3.500000', 3)]);
  expect(end()).toBe(7.503511);
  // What was before is told later than what is: it does not put the end back.
  const now = Math.floor(Date.now() / 1000);
  recall({}, [
    { time: now - 60, value: 1 },
    { time: now + 5, value: 6.9834 },
  ]);
  expect(end()).toBe(7.503511);
});

test('a day that is over leaves nothing', () => {
  put([robot('a', '4.003511')]);
  beginDay();
  expect(useLicences.getState().byId.a?.today).toBe('0.000000');
  expect(useLicences.getState().line).toEqual([]);
});
