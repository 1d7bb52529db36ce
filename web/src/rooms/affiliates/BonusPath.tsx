import { Group, Text } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';
import { PersonHandle } from '@/shared/people/PersonCell';
import { plainList } from '@/ui/plainList';

interface BonusPathProps {
  label: string;
  /** From who receives down to whom it comes from. */
  names: readonly string[];
  /** Where those in the middle are only counted: what stands for them, and the names after it. */
  between?: string;
  last?: readonly string[];
}

/** A way down a tree, with its first and its last one in bold. */
export function BonusPath({ label, names, between, last = [] }: BonusPathProps) {
  const all = [...names, ...last];
  return (
    <Group component="ol" gap={6} {...plainList} aria-label={label}>
      {all.map((name, step) => (
        <Fragment key={name}>
          {between !== undefined && step === names.length && (
            <Step arrow>
              <Text fz="sm" c="dimmed">
                {between}
              </Text>
            </Step>
          )}
          <Step arrow={step > 0}>
            <Text fz="sm" fw={step === 0 || step === all.length - 1 ? 600 : 400}>
              <PersonHandle username={name} />
            </Text>
          </Step>
        </Fragment>
      ))}
    </Group>
  );
}

function Step({ arrow, children }: { arrow: boolean; children: ReactNode }) {
  return (
    <Group component="li" gap={6} wrap="nowrap">
      {arrow && <IconArrowRight size={14} aria-hidden />}
      {children}
    </Group>
  );
}
