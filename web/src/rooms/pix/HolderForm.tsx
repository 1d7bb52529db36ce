import { Card, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '@/api/client';
import { mutation } from '@/api/mutation';
import { reloadUser, useUser } from '@/api/session';
import { looksLikeDocument } from '@/shared/people/document';
import { type Codes, CodesDialog } from '@/ui/CodesDialog';
import { GuardedButton } from '@/ui/GuardedButton';
import { toast } from '@/ui/toast';

const giveDocument = mutation({
  send: (order: { document: string } & Codes) => api.POST('/pix/holder', { body: order }),
  changes: ['/pix/holder'],
  wait: true,
});

/** Before the first withdrawal: whose money it is. */
export function HolderForm() {
  const { t } = useTranslation('pix');
  const user = useUser();
  const [document, setDocument] = useState('');
  const [checked, setChecked] = useState(false);
  const [asking, setAsking] = useState(false);
  const ok = looksLikeDocument(document);
  const submit = () => {
    setChecked(true);
    if (ok) setAsking(true);
  };
  const put = async (codes: Codes) => {
    await giveDocument({ document, ...codes });
    // The profile tells it too.
    await reloadUser().catch(() => {});
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
