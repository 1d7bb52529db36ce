import { Alert, Skeleton, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { mutation } from '@/api/mutation';
import { queryClient } from '@/api/queryClient';
import { Section } from '@/ui/Section';
import { useSaveText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';

const wantDigest = mutation({
  send: (on: boolean) => body(api.PATCH('/notifications/digest', { body: { on } })),
  patch: (fresh) =>
    queryClient.setQueriesData<Schemas['Preferences']>(
      { queryKey: ['get', '/notifications/preferences'] },
      fresh,
    ),
  changes: ['/notifications/preferences'],
});

/** A mail each morning of what comes too often to be told one by one. */
export function DigestCard() {
  const { t } = useTranslation('account');
  const saveText = useSaveText();
  const { data, error } = $api.useQuery('get', '/notifications/preferences');
  const { busy, failure, run } = useSubmit(wantDigest);
  const [asked, setAsked] = useState(false);
  const set = (on: boolean) => {
    setAsked(on);
    void run(on);
  };
  // What failed is said above, where the same is asked for.
  if (error && !data) return null;
  return (
    <Section title={t(($) => $.digest.title)} hint={t(($) => $.digest.hint)}>
      {data ? (
        <Stack gap="sm">
          <Switch
            label={t(($) => $.digest.on)}
            checked={busy ? asked : data.digest}
            onChange={(event) => set(event.currentTarget.checked)}
          />
          {failure && (
            <Alert color="red" variant="light" role="alert">
              {saveText(failure.error)}
            </Alert>
          )}
        </Stack>
      ) : (
        <Skeleton h={40} />
      )}
    </Section>
  );
}
