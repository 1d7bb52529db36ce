/** What the room does with facts while somebody is signed in. */
import { refetch } from '@/api/lists';
import { burst } from '@/live/burst';
import { onLive } from '@/live/live';
import { anyFollows, FOLLOWING, showFollowing } from './copying';

/** The desk books once a second; the sum that copying has brought needs no look as often. */
const PAUSE_MS = 10_000;

export const robotsLive = {
  listen: () => {
    // Of a robot that copies, what is booked or taken back goes into the sum of its copying. It has no number of its own by which an answer
    // and a fact could be told apart, so nothing is added up here: it is asked for, where it is shown.
    const sum = burst(PAUSE_MS, () => refetch(FOLLOWING));
    const booked = (licences: readonly string[]) => anyFollows(new Set(licences)) && sum.soon();
    const stops = [
      sum.stop,
      onLive('robot.following', ({ following }) => showFollowing(following)),
      onLive('robots.settled', ({ robots }) => booked(robots.map(({ licence }) => licence))),
      onLive('result.reversed', ({ licence }) => booked([licence])),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
