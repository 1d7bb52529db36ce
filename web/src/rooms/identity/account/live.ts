/** What the account screen does with facts. */
import { refetch } from '@/api/lists';
import { onLive } from '@/live/live';

export const accountLive = {
  listen: () => onLive('data_export.changed', () => void refetch('/me/export')),
};
