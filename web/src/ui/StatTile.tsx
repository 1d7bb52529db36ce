import { Card, Group, Skeleton, Text } from '@mantine/core';
import { IconArrowDownRight, IconArrowUpRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useFormat } from './format';
import { isNegative, isZero } from './money';
import { Sparkline } from './Sparkline';
import classes from './StatTile.module.css';

interface StatTileProps {
  label: string;
  /** Usually a `Money` inside a `FlashValue`; a skeleton of the final size while loading. */
  value: ReactNode;
  loading?: boolean;
  /** A change in percent and what it is measured against ("vs. ontem"). */
  delta?: { percent: string; base: string } | undefined;
  hint?: ReactNode;
  icon?: ReactNode;
  spark?: readonly number[] | undefined;
  /** Stands beside the label. */
  badge?: ReactNode;
  href?: string;
}

export function StatTile({ label, value, loading, delta, hint, icon, spark, badge, href }: StatTileProps) {
  const falling = spark && spark.length > 1 && (spark.at(-1) ?? 0) < (spark[0] ?? 0);
  const link = href === undefined ? {} : ({ component: Link, to: href } as const);
  return (
    <Card
      {...(link as object)}
      className={classes.tile}
      data-testid="stat-tile"
      data-spark={spark ? true : undefined}
    >
      <Group justify="space-between" wrap="nowrap" mb={{ base: 6, sm: 10 }} align="start" gap={8}>
        <Group gap="4px 8px">
          <Text fz={{ base: 12.5, sm: 13.5 }} c="dimmed" fw={500}>
            {label}
          </Text>
          {badge}
        </Group>
        {icon && (
          <div className={classes.icon} aria-hidden>
            {icon}
          </div>
        )}
      </Group>
      <div className={classes.value}>
        <div className={classes.figure}>{loading ? <Skeleton h={30} w="70%" my={2} /> : value}</div>
      </div>
      {(delta || hint) && (
        <Group gap="2px 8px" mt={6} mih={18}>
          {loading ? (
            <Skeleton h={12} w="50%" />
          ) : (
            <>
              {delta && <Delta percent={delta.percent} base={delta.base} />}
              {hint && (
                <Text fz={12.5} c="dimmed" className="num" component="div">
                  {hint}
                </Text>
              )}
            </>
          )}
        </Group>
      )}
      {spark && (
        <Sparkline
          className={classes.spark}
          height={44}
          data={spark}
          color={falling ? 'var(--down)' : 'var(--up)'}
        />
      )}
    </Card>
  );
}

/** A change with sign, arrow and colour, and the base it is measured against. */
export function Delta({ percent, base }: { percent: string; base?: string }) {
  const format = useFormat();
  const down = isNegative(percent);
  const flat = isZero(percent);
  const Icon = down ? IconArrowDownRight : IconArrowUpRight;
  return (
    <span className={classes.delta} data-down={down || undefined} data-flat={flat || undefined}>
      {!flat && <Icon size={14} stroke={2.2} aria-hidden />}
      <span translate="no">{format.percent(percent, 2, true)}</span>
      {base && (
        <Text span fz={12.5} fw={400} c="dimmed" ml={3}>
          {base}
        </Text>
      )}
    </span>
  );
}
