import { Card, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '@/api/client';
import { queryClient } from '@/api/queryClient';
import { useUser } from '@/api/session';
import { type Codes, CodesDialog } from '@/ui/CodesDialog';
import { GuardedButton } from '@/ui/GuardedButton';
import { toast } from '@/ui/toast';

/** Eleven digits, or twelve letters and digits and two more digits; the server checks the check digits. */
const looksRight = (text: string) =>
  /^(\d{11}|[0-9A-Z]{12}\d{2})$/.test(text.replace(/[.\-/\s]/g, '').toUpperCase());

/** Before the first withdrawal: whose money it is. */
export function HolderForm() {
  const { t } = useTranslation('pix');
  const user = useUser();
  const [document, setDocument] = useState('');
  const [checked, setChecked] = useState(false);
  const [asking, setAsking] = useState(false);
  const ok = looksRight(document);
  const submit = () => {
    setChecked(true);
    if (ok) setAsking(true);
  };
  const put = async (codes: Codes) => {
    await api.POST('/pix/holder', { body: { document, ...codes } });
    await queryClient.invalidateQueries({ queryKey: ['get', '/pix/holder'] });
    toast.success(t(($) => $.withdraw.document.saved));
  };
  return (
    <Card component="section" aria-labelledby="holder" h="100%">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack gap="md">
          <Title order={2} fz={17} id="holder">
            {t(($) => $.withdraw.document.title)}
          </Title>
          <Text fz="sm" c="dimmed">
            {t(($) => $.withdraw.document.text)}
          </Text>
          <TextInput
            label={t(($) => $.withdraw.document.field)}
            value={document}
            onChange={(event) => setDocument(event.currentTarget.value)}
            error={checked && !ok ? t(($) => $.withdraw.document.bad) : undefined}
            maxLength={20}
            autoComplete="off"
            spellCheck={false}
            required
          />
          <GuardedButton type="submit" allowed fullWidth>
            {t(($) => $.withdraw.document.submit)}
          </GuardedButton>
        </Stack>
      </form>
      <CodesDialog
        app={user?.twoFactor.app ?? false}
        opened={asking}
        onClose={() => setAsking(false)}
        title={t(($) => $.withdraw.code.title)}
        hint={t(($) => $.withdraw.code.account, { email: user?.email ?? '' })}
        onSend={() => api.POST('/security-code', { body: { purpose: 'change-account-data' } })}
        onCodes={put}
      />
    </Card>
  );
}
