/** What the room does with facts while somebody is signed in. Licences themselves are followed in `live/licencesLive`. */
import { refetch, showRow } from '@/api/lists';
import { onLive } from '@/live/live';

export const poolEntriesLive = {
  listen: () =>
    onLive('pool.changed', ({ entry }) => {
      showRow(['/pools/mine'], entry, { whole: true });
      // Sums of a pool no entry tells.
      void refetch('/pools');
    }),
};
