import { Center, Stack, Text, ThemeIcon } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  title: string;
  /** What to do about it. */
  hint?: ReactNode;
  action?: ReactNode;
  icon?: ReactNode;
}

export function EmptyState({ title, hint, action, icon }: EmptyStateProps) {
  return (
    <Center py={48} px="md">
      <Stack align="center" gap="xs" maw={420} ta="center">
        <ThemeIcon variant="light" color="gray" size={52} radius="xl" aria-hidden>
          {icon ?? <IconInbox size={26} stroke={1.5} />}
        </ThemeIcon>
        <Text fz={16} fw={650}>
          {title}
        </Text>
        {hint && (
          <Text c="dimmed" fz="sm" component="div">
            {hint}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  );
}
