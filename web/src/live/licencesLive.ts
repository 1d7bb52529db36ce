/** What keeps the licences true while somebody is signed in. */
import { api, body } from '@/api/client';
import { mayRead } from '@/api/session';
import { clearLicences, type Licence, put, settled } from './licences';
import { onLive } from './live';

/** All of one's own licences, into the store. */
export async function loadLicences() {
  const { data } = await body(api.GET('/get-user-licenses', { params: { query: { limit: 500 } } }));
  put(data);
  return data;
}

export const licencesLive = {
  listen: () => {
    const stops = [
      onLive('licence.changed', ({ licence }) => put([licence as unknown as Licence])),
      onLive('robots.settled', ({ robots, mode }, meta) =>
        settled({ robots, mode, at: new Date(meta.at).getTime() }),
      ),
    ];
    return () => {
      for (const stop of stops) stop();
      clearLicences();
    };
  },
  load: async () => {
    if (mayRead('registered-user')) await loadLicences();
  },
};
