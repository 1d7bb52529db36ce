import { Alert, Button, Stack } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { api, body, type Schemas } from '@/api/client';
import { asApiError } from '@/api/problem';
import { useErrorText } from '@/ui/useErrorText';
import { given, useSubmit } from '@/ui/useSubmit';
import { showPasskey } from './authenticator';
import { usePasskeyWords } from './usePasskeyWords';

interface PasskeyInsteadProps {
  /** What a mailed code would be asked for: the passkey's word is bound to it alike. */
  asked: Schemas['CodeBody'];
  /** Takes what stands in the code's place, for this one action. */
  onProof: (proof: string) => unknown;
  /** A code is under way, or something else is missing. */
  busy?: boolean;
  /** It is what is asked for; a code is another way. */
  first?: boolean;
}

/** Confirms with a passkey instead of a code: for who has one that opens something (`useConfirmsByPasskey`). */
export function PasskeyInstead({ asked, onProof, busy = false, first = false }: PasskeyInsteadProps) {
  const { t } = useTranslation();
  const words = usePasskeyWords();
  const errorText = useErrorText();
  const { busy: asking, failure, run } = useSubmit(given);
  const confirm = () =>
    run(async () => {
      const credential = await showPasskey(await body(api.POST('/security-code/passkey', { body: asked })));
      const { proof } = await body(api.POST('/security-code/passkey/proof', { body: { credential } }));
      await onProof(proof);
    });
  return (
    <Stack gap="sm">
      <Button
        variant={first ? 'filled' : 'default'}
        loading={asking}
        disabled={busy}
        data-autofocus={first || undefined}
        leftSection={<IconFingerprint size={17} aria-hidden />}
        onClick={() => void confirm()}
      >
        {t(($) => $.code.passkey.use)}
      </Button>
      {failure && (
        <Alert color="red" variant="light" role="alert">
          {words[asApiError(failure.error).code] ?? errorText(failure.error)}
        </Alert>
      )}
    </Stack>
  );
}
