/** What the room does with facts while somebody who may look is signed in. */
import { onLive } from '@/live/live';
import { refetchRules } from './rules';

export const rulesLive = {
  listen: () => onLive('rules.changed', () => void refetchRules()),
};
