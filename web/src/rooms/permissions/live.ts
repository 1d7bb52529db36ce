/** What the room does with facts while somebody who decides is signed in. */
import { onLive } from '@/live/live';
import { showFreeze, showGrant } from './permissions';

export const permissionsLive = {
  listen: () => {
    const stops = [
      onLive('admin_grant.changed', ({ grant }) => showGrant(grant)),
      onLive('admin_freeze.changed', ({ freeze }) => showFreeze(freeze)),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
