import { Alert, type AlertProps } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Schemas } from '@/api/client';
import { useFormat } from '@/ui/format';

interface PauseNoticeProps extends Pick<AlertProps, 'mb'> {
  pause: Schemas['PausedView'];
  /** The sentence: with the reason and the moment of review. */
  text: (said: { reason: string; review: string }) => ReactNode;
  testId: string;
  /** It stands in place of what was to be done here. */
  urgent?: boolean;
}

/** Something stands still: said with its reason and when that is looked at again. */
export function PauseNotice({ pause, text, testId, urgent = false, mb }: PauseNoticeProps) {
  const format = useFormat();
  return (
    <Alert
      color="gold"
      variant="light"
      role={urgent ? 'alert' : 'status'}
      icon={<IconPlayerPause size={18} aria-hidden />}
      data-testid={testId}
      {...(mb !== undefined && { mb })}
    >
      {text({ reason: pause.reason, review: format.dateTime(pause.reviewAt) })}
    </Alert>
  );
}
