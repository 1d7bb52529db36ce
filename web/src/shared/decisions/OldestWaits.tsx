import { Badge } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/ui/format';
import { useNow } from '@/ui/useNow';

/** Longer than this nobody should wait (docs/rules/notifications.md#queues-that-wait); those who decide are told as well. */
export const OLD_MS = 48 * 3_600_000;

const DAY_MS = 24 * 3_600_000;

interface OldestWaitsProps {
  pending: number | undefined;
  oldest: string | null | undefined;
  /** Before the queue's length is known. */
  intro: string;
  nobody: string;
  since: (ago: string) => string;
}

/** The line under a queue's title: since when its oldest item waits, and a warning when that is too long. */
export function OldestWaits({ pending, oldest, intro, nobody, since }: OldestWaitsProps) {
  const { t: lists } = useTranslation('lists');
  const { ago, dateTime } = useFormat();
  const now = useNow(20_000);
  if (pending === undefined) return intro;
  if (pending <= 0 || !oldest) return nobody;
  const age = now - Date.parse(oldest);
  // Above a day the moment itself is said.
  const line = since(age < DAY_MS ? ago(oldest, now) : lists(($) => $.queue.since, { at: dateTime(oldest) }));
  if (age < OLD_MS) return line;
  return (
    <>
      {line}{' '}
      <Badge
        color="red"
        variant="light"
        size="sm"
        leftSection={<IconAlertTriangle size={13} aria-hidden />}
        data-testid="old-queue"
      >
        {lists(($) => $.queue.old)}
      </Badge>
    </>
  );
}
