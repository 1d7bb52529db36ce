import { Card, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** One card of the account screen. */
export function Section({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <Card>
      <Title order={2} fz={16}>
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
