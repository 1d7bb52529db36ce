/** What the account screen does with facts. */
import { refetch } from '@/api/lists';
import { onLive } from '@/live/live';

export const accountLive = {
  listen: () => {
    const stops = [
      onLive('data_export.changed', () => void refetch('/me/export')),
      onLive('user.changed', () => void refetch('/me/closing')),
      onLive('account.seen', () => void refetch('/me/looks')),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
