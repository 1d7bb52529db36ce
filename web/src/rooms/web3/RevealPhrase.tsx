import { Alert, Button, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconEye, IconEyeOff, IconKey } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '@/api/client';
import { serverNow } from '@/api/clock';
import { useByPasskey } from '@/shared/passkeys/useByPasskey';
import { CodeDialog } from '@/ui/CodeDialog';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { Countdown } from '@/ui/Countdown';
import { plainList } from '@/ui/plainList';

/** How long the words stay on the screen. */
const SHOWN_MS = 60_000;

const ASKED = { purpose: 'reveal-phrase' } as const;

interface Shown {
  words: readonly string[];
  until: number;
}

/** The twelve words: with a warning, a code, and for a minute only. */
export function RevealPhrase({ app }: { app: boolean }) {
  const { t } = useTranslation('web3');
  const byPasskey = useByPasskey();
  const [asking, setAsking] = useState(false);
  const [coding, setCoding] = useState(false);
  const [shown, setShown] = useState<Shown | null>(null);
  const clear = () => setShown(null);

  // Whoever leaves the screen leaves the words behind.
  useEffect(() => {
    const hide = () => {
      if (document.visibilityState === 'hidden') setShown(null);
    };
    document.addEventListener('visibilitychange', hide);
    return () => document.removeEventListener('visibilitychange', hide);
  }, []);

  const reveal = async (code: string) => {
    const { phrase } = await body(api.POST('/web3/reveal-secret-phrase', { body: { securityCode: code } }));
    setShown({ words: phrase.split(' '), until: serverNow() + SHOWN_MS });
  };
  return (
    <Card component="section" aria-labelledby="wallet-phrase">
      <Stack gap="md">
        <Title order={2} fz={17} id="wallet-phrase">
          {t(($) => $.phrase.title)}
        </Title>
        <Text fz="sm" c="dimmed">
          {t(($) => $.phrase.hint)}
        </Text>
        {shown ? (
          <Words shown={shown} onEnd={clear} />
        ) : (
          <Group>
            <Button
              variant="default"
              leftSection={<IconKey size={17} aria-hidden />}
              onClick={() => setAsking(true)}
            >
              {t(($) => $.phrase.open)}
            </Button>
          </Group>
        )}
      </Stack>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t(($) => $.phrase.askTitle)}
        consequence={t(($) => $.phrase.consequence)}
        confirmLabel={t(($) => $.phrase.goOn)}
        danger
        onConfirm={async () => setCoding(true)}
      />
      <CodeDialog
        opened={coding}
        onClose={() => setCoding(false)}
        title={t(($) => $.phrase.codeTitle)}
        hint={app ? t(($) => $.code.app) : t(($) => $.code.mail)}
        {...(!app && {
          onSend: () => api.POST('/security-code', { body: ASKED }),
        })}
        {...byPasskey(ASKED)}
        onCode={reveal}
      />
    </Card>
  );
}

function Words({ shown, onEnd }: { shown: Shown; onEnd: () => void }) {
  const { t } = useTranslation('web3');
  const [visible, setVisible] = useState(false);
  return (
    <Stack gap="sm">
      <Alert color="red" variant="light" role="note" icon={<IconAlertTriangle size={18} aria-hidden />}>
        {t(($) => $.phrase.warning)}
      </Alert>
      <SimpleGrid cols={{ base: 2, xs: 3, md: 4 }} spacing="xs" component="ol" {...plainList}>
        {shown.words.map((word, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same word may come twice, its place may not.
          <Card key={place} component="li" withBorder p="xs" data-testid="phrase-word">
            {/* A word in another language opens no wallet. */}
            <Text fz="sm" ff="monospace" translate="no" aria-hidden={!visible}>
              {place + 1}. {visible ? word : '••••••'}
            </Text>
          </Card>
        ))}
      </SimpleGrid>
      <Group justify="space-between">
        <Button
          variant="light"
          aria-pressed={visible}
          leftSection={visible ? <IconEyeOff size={17} aria-hidden /> : <IconEye size={17} aria-hidden />}
          onClick={() => setVisible(!visible)}
        >
          {visible ? t(($) => $.phrase.hide) : t(($) => $.phrase.show)}
        </Button>
        <Group gap="sm">
          <Text fz="sm" c="dimmed" component="div">
            <span>{t(($) => $.phrase.left)}</span>{' '}
            <Countdown until={shown.until} totalMs={SHOWN_MS} onEnd={onEnd} />
          </Text>
          <Button variant="subtle" color="gray" onClick={onEnd}>
            {t(($) => $.phrase.clear)}
          </Button>
        </Group>
      </Group>
    </Stack>
  );
}
