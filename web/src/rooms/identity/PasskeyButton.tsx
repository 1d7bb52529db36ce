import { Button, Stack } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { canUsePasskeys } from '@/shared/passkeys/usable';
import { usePasskeyWords } from '@/shared/passkeys/usePasskeyWords';
import { given, useSubmit } from '@/ui/useSubmit';
import { offeredPasskey } from './offered';
import { Problem } from './Problem';
import { enterByPasskey, enterWith } from './passkey';

/** The way in without a password, where the browser knows one: by the button, or by what the browser offers at the e-mail's field. */
export default function PasskeyButton({ onToken }: { onToken: (token: string) => Promise<unknown> }) {
  const { t } = useTranslation('login');
  const words = usePasskeyWords();
  const { busy, failure, run } = useSubmit(given);
  const offered = useRef<AbortController | null>(null);
  const [round, setRound] = useState(0);
  const able = canUsePasskeys();
  const offer = useEffectEvent(async (until: AbortSignal) => {
    const shown = await offeredPasskey(until);
    if (!shown || until.aborted) return;
    const entered = await run(async () => onToken(await enterWith(shown, null)));
    if (!entered) setRound((count) => count + 1);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round offers anew.
  useEffect(() => {
    if (!able) return;
    const until = new AbortController();
    offered.current = until;
    void offer(until.signal).catch(() => {});
    return () => until.abort();
  }, [able, round]);
  if (!able) return null;
  const press = async () => {
    // A browser answers one request at a time.
    offered.current?.abort();
    const entered = await run(async () => onToken(await enterByPasskey(null)));
    if (!entered) setRound((count) => count + 1);
  };
  return (
    <Stack gap="sm" mt="sm">
      <Button
        variant="default"
        size="md"
        loading={busy}
        leftSection={<IconFingerprint size={18} aria-hidden />}
        onClick={() => void press()}
      >
        {t(($) => $.passkey)}
      </Button>
      {failure && <Problem {...failure} title={t(($) => $.failed)} instead={words} />}
    </Stack>
  );
}
