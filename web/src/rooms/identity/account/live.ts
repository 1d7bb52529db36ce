/** What the account screen does with facts. */
import { refetch } from '@/api/lists';
import { onLive } from '@/live/live';

/** What may have been in the way of closing one's account. */
const SETTLES = [
  'user.changed',
  'balance.changed',
  'licence.changed',
  'order.changed',
  'transfer.changed',
  'pix_deposit.changed',
  'pix_withdrawal.changed',
  'crypto_deposit.changed',
  'crypto_withdrawal.changed',
] as const;

export const accountLive = {
  listen: () => {
    const stops = [
      onLive('data_export.changed', () => void refetch('/me/export')),
      ...SETTLES.map((kind) => onLive(kind, () => void refetch('/me/closing'))),
      onLive('user.changed', ({ reason }) => {
        if (reason === 'notifications') void refetch('/notifications/preferences');
      }),
      onLive('account.seen', () => void refetch('/me/looks')),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
