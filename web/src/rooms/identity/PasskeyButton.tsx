import { Button, Stack } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { canUsePasskeys } from '@/shared/passkeys/authenticator';
import { usePasskeyWords } from '@/shared/passkeys/usePasskeyWords';
import { given, useSubmit } from '@/ui/useSubmit';
import { Problem } from './Problem';
import { enterByPasskey } from './passkey';

/** The way in without a password, where the browser knows one. */
export default function PasskeyButton({ onToken }: { onToken: (token: string) => Promise<unknown> }) {
  const { t } = useTranslation('login');
  const words = usePasskeyWords();
  const { busy, failure, run } = useSubmit(given);
  if (!canUsePasskeys()) return null;
  return (
    <Stack gap="sm" mt="sm">
      <Button
        variant="default"
        size="md"
        loading={busy}
        leftSection={<IconFingerprint size={18} aria-hidden />}
        onClick={() => void run(async () => onToken(await enterByPasskey(null)))}
      >
        {t(($) => $.passkey)}
      </Button>
      {failure && <Problem {...failure} title={t(($) => $.failed)} instead={words} />}
    </Stack>
  );
}
