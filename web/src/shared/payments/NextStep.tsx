import { Text, Timeline } from '@mantine/core';
import { IconCheck, IconClock, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { When } from '@/ui/When';

export interface Step {
  label: string;
  state: 'done' | 'current' | 'todo' | 'failed';
  /** Who acts: "Você", "Equipe Arbora". */
  actor?: string;
  /** "até 2 h": the median of the last 7 days, when it is known. */
  usual?: string | undefined;
  at?: string | undefined;
  hint?: ReactNode;
}

/** Who acts now, by when, and what has been done. */
export function NextStep({ steps }: { steps: readonly Step[] }) {
  const { t } = useTranslation('shell');
  const reached = steps.findLastIndex(({ state }) => state !== 'todo');
  return (
    <Timeline active={reached} bulletSize={24} lineWidth={2} aria-label={t(($) => $.steps.label)}>
      {steps.map((step) => (
        <Timeline.Item
          key={step.label}
          color={step.state === 'failed' ? 'red' : step.state === 'current' ? 'gold' : undefined}
          bullet={
            step.state === 'done' ? (
              <IconCheck size={14} aria-hidden />
            ) : step.state === 'failed' ? (
              <IconX size={14} aria-hidden />
            ) : (
              <IconClock size={14} aria-hidden />
            )
          }
          title={
            <>
              <span>{step.label}</span>
              <span className="sr-only">
                {step.state === 'done' && <span>{` (${t(($) => $.steps.done)})`}</span>}
                {step.state === 'current' && <span>{` (${t(($) => $.steps.current)})`}</span>}
              </span>
            </>
          }
          aria-current={step.state === 'current' ? 'step' : undefined}
        >
          <Text fz="xs" c="dimmed" component="div">
            {step.at && <When at={step.at} relative />}
            {step.state === 'current' && step.actor && (
              <span>{t(($) => $.steps.by, { actor: step.actor })}</span>
            )}
            {step.state === 'current' && step.usual && (
              <div>{t(($) => $.steps.usual, { time: step.usual })}</div>
            )}
            {step.hint && <div>{step.hint}</div>}
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  );
}
