import { Card, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

/** One card of the account screen. */
export function Section({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  const id = useId();
  return (
    <Card component="section" aria-labelledby={id}>
      <Title order={2} fz={16} id={id}>
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
