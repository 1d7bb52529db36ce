import { Button, Card, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useUser } from '@/api/session';
import { plainList } from '@/ui/plainList';

/** What a newcomer has done and what comes next. */
export function FirstSteps({ deposited }: { deposited: boolean }) {
  const { t } = useTranslation('dashboard');
  const user = useUser();
  const steps = [
    { key: 'email', done: user?.emailConfirmed ?? false, to: '/account-setting' },
    {
      key: 'factor',
      done: Boolean(user?.twoFactor.app || user?.twoFactor.passkey),
      to: '/account-setting?tab=security',
    },
    { key: 'deposit', done: deposited, to: '/wallet/my-deposits' },
    { key: 'licence', done: false, to: '/licences?tab=plans' },
  ] as const;
  const next = steps.find(({ done }) => !done)?.key;
  return (
    <Card component="section" aria-labelledby="first-steps">
      <Title order={2} fz={17} mb="md" id="first-steps">
        {t(($) => $.steps.title)}
      </Title>
      <Stack component="ol" gap="md" {...plainList}>
        {steps.map(({ key, done, to }, index) => (
          <Group
            component="li"
            key={key}
            gap="md"
            wrap="nowrap"
            align="start"
            aria-current={key === next ? 'step' : undefined}
          >
            <ThemeIcon
              radius="xl"
              size={32}
              variant={done ? 'filled' : 'light'}
              color={done ? 'mint' : 'gray'}
              aria-hidden
            >
              {done ? <IconCheck size={18} /> : <Text fw={700}>{index + 1}</Text>}
            </ThemeIcon>
            <div style={{ flex: 1 }}>
              <Text fw={600} fz="sm">
                <span>{t(($) => $.steps[key].title)}</span>
                {done && (
                  <span className="sr-only">
                    {' '}
                    <span>{t(($) => $.steps.done)}</span>
                  </span>
                )}
              </Text>
              <Text fz="sm" c="dimmed">
                {t(($) => $.steps[key].hint)}
              </Text>
            </div>
            {!done && (
              <Button
                component={Link}
                to={to}
                size="compact-sm"
                variant={key === next ? 'filled' : 'default'}
              >
                {t(($) => $.steps[key].action)}
              </Button>
            )}
          </Group>
        ))}
      </Stack>
    </Card>
  );
}
