import { Group, Text, UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { MemberName } from '@/shared/network/MemberName';
import { useFormat } from '@/ui/format';
import type { BinaryTree } from './network';
import classes from './Tree.module.css';

interface WayBarProps {
  way: BinaryTree['way'];
  /** By username; none leads back to oneself. */
  onGo: (name: string | null) => void;
}

/** Where one stands in the tree: from oneself down to the topmost that is shown, each a step to go back to. */
export function WayBar({ way, onGo }: WayBarProps) {
  const { t } = useTranslation('affiliates');
  const format = useFormat();
  const names = [...way.path, ...way.last];
  if (names.length === 0) return null;
  return (
    <nav aria-label={t(($) => $.tree.way)}>
      <Group component="ol" gap={4} m={0} p={0} style={{ listStyle: 'none' }}>
        {names.map((name, step) => {
          const here = step === names.length - 1;
          return (
            <Fragment key={name}>
              {way.between > 0 && step === way.path.length && (
                <li className={classes.step}>
                  <IconChevronRight size={14} aria-hidden />
                  <Text span fz="sm" c="dimmed">
                    {t(($) => $.sales.between, { count: way.between, shown: format.count(way.between) })}
                  </Text>
                </li>
              )}
              <li className={classes.step}>
                {step > 0 && <IconChevronRight size={14} aria-hidden />}
                {here ? (
                  <Text span fz="sm" fw={600} aria-current="location">
                    <MemberName username={name} />
                  </Text>
                ) : (
                  <UnstyledButton
                    fz="sm"
                    className={classes.stepTo}
                    onClick={() => onGo(step === 0 ? null : name)}
                  >
                    <MemberName username={name} />
                  </UnstyledButton>
                )}
              </li>
            </Fragment>
          );
        })}
      </Group>
    </nav>
  );
}
