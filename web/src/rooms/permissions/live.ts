/** What the room does with facts while somebody who decides is signed in. */
import { onLive } from '@/live/live';
import { refetchGrants } from './permissions';

export const permissionsLive = {
  listen: () => {
    const stops = [
      onLive('admin_grant.changed', () => void refetchGrants()),
      onLive('admin_freeze.changed', () => void refetchGrants()),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
