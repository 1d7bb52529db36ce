/** What the network does with facts: bonuses and closings move its figures, and use the ceilings that licences show. */
import { refetch } from '@/api/lists';
import { QUEUES } from '@/api/queues';
import { reloadUser } from '@/api/session';
import { loadLicences } from '@/live/licencesLive';
import { onLive } from '@/live/live';
import { onQueue } from '@/live/queue';
import { GRADUATIONS, showOwnPayment, showPayment } from './graduations';
import { afterBonuses, afterClosing, NETWORK, PAYOUT, REFERENCES, showBonus, TREE } from './network';

/** A closing tells each of its receivers at the same moment: not everyone asks at once. */
const SPREAD_MS = 4_000;
const PAUSE_MS = 250;

/** A burst is one question. */
function later(ask: () => unknown) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    within: (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(ask, ms);
    },
    stop: () => clearTimeout(timer),
  };
}

export const affiliatesLive = {
  listen: () => {
    let pointsMoved = false;
    let towardsRank = false;
    const bonuses = later(() => {
      void loadLicences().catch(() => {});
      void afterBonuses(pointsMoved);
      pointsMoved = false;
    });
    const closing = later(() => {
      void loadLicences().catch(() => {});
      void afterClosing();
      // The rank is shown wherever the person is, and the way to the next one is part of the profile.
      if (towardsRank) void reloadUser().catch(() => {});
      towardsRank = false;
    });
    const stops = [
      bonuses.stop,
      closing.stop,
      onLive('bonus.changed', (fact) => {
        // Whoever is paid for a sale has its points as well.
        pointsMoved = showBonus(fact.bonus) || pointsMoved;
        bonuses.within(PAUSE_MS);
      }),
      onLive('graduation_bonus.changed', ({ payment }) => showOwnPayment(payment)),
      onQueue(QUEUES.graduationBonuses, ({ item }) => {
        if (item.type === 'graduation_bonus') showPayment(item.payment);
      }),
      onLive('ranks.reached', () => void refetch(GRADUATIONS, '/admin/graduations')),
      onLive('closing.booked', ({ share }) => {
        // Matched points count once their bonus is earned, wherever that stands; what was lost counts for nothing.
        towardsRank ||= Boolean(share.rank) || (share.kind === 'binary' && share.status !== 'lost');
        closing.within(PAUSE_MS + Math.random() * SPREAD_MS);
      }),
      onLive('payout_ratio.crossed', () => void refetch(PAYOUT)),
      onLive('user.changed', ({ reason }) => {
        if (reason === 'placed' || reason === 'network') void refetch(TREE, NETWORK, REFERENCES);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
