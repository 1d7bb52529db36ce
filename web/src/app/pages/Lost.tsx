import { Button, Center, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { usePageTitle } from '@/ui/pageTitle';

interface LostProps {
  code: string;
  icon: ReactNode;
  title: string;
  text: string;
}

/** A screen that says where one is not, and the way home. */
export function Lost({ code, icon, title, text }: LostProps) {
  const { t } = useTranslation('shell');
  usePageTitle(title);
  return (
    <Center mih="100dvh" p="md" component="main">
      <Stack align="center" gap="sm" maw={460} ta="center">
        <ThemeIcon size={64} radius="xl" variant="light" aria-hidden>
          {icon}
        </ThemeIcon>
        <Text fz="sm" fw={600} c="dimmed" className="num">
          {code}
        </Text>
        <Title order={1} fz={26} lts="-0.02em">
          {title}
        </Title>
        <Text c="dimmed">{text}</Text>
        <Button component={Link} to="/" mt="sm">
          {t(($) => $.lost.home)}
        </Button>
      </Stack>
    </Center>
  );
}
