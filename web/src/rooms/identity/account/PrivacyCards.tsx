import { Skeleton, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { AcceptedList } from '@/shared/people/AcceptedList';
import { ErrorCard } from '@/ui/ErrorCard';
import { Section } from '@/ui/Section';
import { LegalLink } from '../legal/LegalLink';
import { Officer } from '../legal/Officer';
import { Retention } from '../legal/Retention';

/** What one has accepted, and the texts themselves. */
export function AcceptedCard() {
  const { t } = useTranslation('legal');
  const { data, error, refetch } = $api.useQuery('get', '/me/acceptances');
  return (
    <Section title={t(($) => $.accepted.title)} hint={t(($) => $.accepted.hint)}>
      <Stack gap="md">
        {error && !data ? (
          <ErrorCard what={t(($) => $.accepted.what)} error={error} onRetry={refetch} />
        ) : data ? (
          <AcceptedList accepted={data.data} />
        ) : (
          <Skeleton h={170} />
        )}
        <div>
          <LegalLink />
        </div>
      </Stack>
    </Section>
  );
}

/** How long what is kept. */
export function RetentionCard() {
  const { t } = useTranslation('legal');
  return (
    <Section title={t(($) => $.retention.title)}>
      <Retention />
    </Section>
  );
}

/** Whom to write to about one's data. */
export function OfficerCard() {
  const { t } = useTranslation('legal');
  return (
    <Section title={t(($) => $.officer.title)} hint={t(($) => $.officer.hint)}>
      <Officer />
    </Section>
  );
}
