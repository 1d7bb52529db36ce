import { Badge } from '@mantine/core';
import {
  IconArrowBackUp,
  IconBan,
  IconCircleCheck,
  IconClock,
  IconClockX,
  IconHandClick,
  IconHourglass,
  IconLock,
  IconMailForward,
  IconPlayerPause,
  IconPlayerPlay,
  IconProgress,
  IconTargetArrow,
  IconX,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type shell from '@/i18n/pt/shell.json';

type Meaning = keyof (typeof shell)['status'];
type Tone = 'mint' | 'gold' | 'red' | 'gray' | 'blue';

/** One word per meaning, however the server's rooms spell it: "complete" and "completed" are both "Concluído". */
const SAME: Record<string, Meaning> = {
  complete: 'done',
  completed: 'done',
  cancelled: 'canceled',
  'cancelled/timed_out': 'timed_out',
  expired: 'timed_out',
  cancelled_timed_out: 'timed_out',
  in_review: 'pending_approval',
  waiting_for_buyer_funds: 'waiting_funds',
  funds_received_and_confirmed: 'funds_received',
  awaiting_email_confirmation: 'awaiting_email',
  waiting_for_proof: 'awaiting_proof',
};

const LOOK: Record<Meaning, [Tone, typeof IconX]> = {
  open: ['blue', IconProgress],
  closed: ['gray', IconLock],
  active: ['mint', IconCircleCheck],
  inactive: ['gray', IconBan],
  pending: ['gold', IconHourglass],
  pending_approval: ['gold', IconHourglass],
  awaiting_proof: ['gold', IconClock],
  waiting_funds: ['gold', IconClock],
  awaiting_email: ['gold', IconMailForward],
  funds_received: ['blue', IconProgress],
  done: ['mint', IconCircleCheck],
  approved: ['mint', IconCircleCheck],
  rejected: ['red', IconX],
  canceled: ['gray', IconBan],
  timed_out: ['gray', IconClockX],
  sent: ['blue', IconMailForward],
  failed: ['red', IconX],
  reversed: ['red', IconBan],
  unwound: ['gold', IconArrowBackUp],
  idle: ['gray', IconPlayerPause],
  below_minimum: ['gold', IconPlayerPause],
  joining: ['blue', IconClock],
  operating: ['mint', IconPlayerPlay],
  manual: ['blue', IconHandClick],
  paused: ['gray', IconPlayerPause],
  goal_reached: ['blue', IconTargetArrow],
  ceiling_reached: ['gold', IconTargetArrow],
  awaiting_confirmation: ['gold', IconClock],
  to_pay: ['blue', IconProgress],
  paid: ['mint', IconCircleCheck],
  waiting: ['gold', IconHourglass],
  answered: ['mint', IconCircleCheck],
  cleared: ['mint', IconCircleCheck],
  refused: ['red', IconX],
  lapsed: ['gray', IconBan],
  deferred: ['gold', IconHourglass],
  young: ['blue', IconClock],
  lost: ['gray', IconX],
  taken_back: ['red', IconBan],
  given_up: ['gray', IconBan],
  unknown: ['gray', IconProgress],
};

export function meaningOf(status: string): Meaning {
  const word = status
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  const same = SAME[word];
  if (same) return same;
  return Object.hasOwn(LOOK, word) ? (word as Meaning) : 'unknown';
}

export function StatusBadge({ status, size = 'md' }: { status: string; size?: 'xs' | 'sm' | 'md' }) {
  const { t } = useTranslation('shell');
  const meaning = meaningOf(status);
  const [color, Icon] = LOOK[meaning];
  return (
    <Badge
      color={color}
      size={size}
      leftSection={<Icon size={13} stroke={2} aria-hidden />}
      data-status={meaning}
    >
      {t(($) => $.status[meaning])}
    </Badge>
  );
}
