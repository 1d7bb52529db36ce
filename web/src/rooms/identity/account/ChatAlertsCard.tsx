import { Button, Group, Stack, Switch, Text } from '@mantine/core';
import { IconBell, IconVolume } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Allowed, allowedNow, askLeave, setAlerts, tone, useAlerts } from '@/shared/support/alerts';
import { Section } from '@/ui/Section';

/** How this browser tells of an answer in a conversation: nothing of it is on before it is chosen. */
export function ChatAlertsCard() {
  const { t } = useTranslation('account');
  const { sound, banner, words } = useAlerts();
  const [allowed, setAllowed] = useState<Allowed>(allowedNow);
  const told = banner && allowed === 'granted';
  /** The browser asks, and only here. */
  const allow = async () => {
    const answer = await askLeave();
    setAllowed(answer);
    setAlerts({ banner: answer === 'granted' });
  };
  return (
    <Section title={t(($) => $.chat.title)} hint={t(($) => $.chat.hint)}>
      <Stack gap="md" align="flex-start">
        <Group gap="md">
          <Switch
            checked={sound}
            onChange={(event) => setAlerts({ sound: event.currentTarget.checked })}
            label={t(($) => $.chat.sound)}
          />
          <Button
            variant="default"
            size="compact-sm"
            onClick={tone}
            leftSection={<IconVolume size={15} aria-hidden />}
          >
            {t(($) => $.chat.listen)}
          </Button>
        </Group>
        {allowed === 'default' ? (
          <Stack gap={6} align="flex-start">
            <Text fz="sm">{t(($) => $.chat.banner)}</Text>
            <Button
              variant="default"
              size="sm"
              onClick={() => void allow()}
              leftSection={<IconBell size={16} aria-hidden />}
            >
              {t(($) => $.chat.allow)}
            </Button>
          </Stack>
        ) : (
          <Switch
            checked={told}
            disabled={allowed !== 'granted'}
            onChange={(event) => setAlerts({ banner: event.currentTarget.checked })}
            label={t(($) => $.chat.banner)}
            description={
              allowed === 'denied'
                ? t(($) => $.chat.denied)
                : allowed === 'unsupported'
                  ? t(($) => $.chat.unsupported)
                  : undefined
            }
          />
        )}
        {told && (
          <Switch
            checked={words}
            onChange={(event) => setAlerts({ words: event.currentTarget.checked })}
            label={t(($) => $.chat.words)}
            description={t(($) => $.chat.wordsHint)}
          />
        )}
      </Stack>
    </Section>
  );
}
