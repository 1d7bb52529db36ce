import { Card, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface SectionProps {
  title: string;
  hint?: string;
  /** Of the title, where something else points at it. */
  id?: string;
  children: ReactNode;
}

/** One card of a screen with its title, which names it. */
export function Section({ title, hint, id, children }: SectionProps) {
  const own = useId();
  return (
    <Card component="section" aria-labelledby={id ?? own}>
      <Title order={2} fz={16} id={id ?? own}>
        {title}
      </Title>
      {hint && (
        <Text fz="sm" c="dimmed" mt={2}>
          {hint}
        </Text>
      )}
      <div style={{ marginTop: 16 }}>{children}</div>
    </Card>
  );
}
