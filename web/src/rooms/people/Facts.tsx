import { Card, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useId } from 'react';
import classes from './Facts.module.css';

interface FactsProps {
  title: string;
  facts: readonly (readonly [label: string, value: ReactNode])[];
}

/** A card of pairs. */
export function Facts({ title, facts }: FactsProps) {
  const id = useId();
  return (
    <Card component="section" aria-labelledby={id} h="100%">
      <Title order={2} fz={15} mb="sm" id={id}>
        {title}
      </Title>
      <dl className={classes.facts}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <Text component="dt" fz="sm" c="dimmed">
              {label}
            </Text>
            <Text component="dd" fz="sm" fw={500} m={0}>
              {value ?? '–'}
            </Text>
          </div>
        ))}
      </dl>
    </Card>
  );
}
