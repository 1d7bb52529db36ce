import {
  Card,
  Group,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { currentLocale } from '@/i18n';
import { isLocale, LANGUAGE_TAGS, LOCALE_LABELS, LOCALES, type Locale } from '@/i18n/locales';
import { PersonHandle } from '@/shared/people/PersonCell';
import { useRoleName } from '@/shared/people/useRoleName';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { GuardedButton } from '@/ui/GuardedButton';
import { List } from '@/ui/List';
import { PageHeader } from '@/ui/PageHeader';
import { Section } from '@/ui/Section';
import { toast } from '@/ui/toast';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { type Announcement, begin, type Draft, MAX_TEXT, MAX_TITLE, missing, publish } from './announcements';

/** /administrator/announcements: what staff say to everyone, or to all who have a role. */
export default function AnnouncementsPage() {
  const { t } = useTranslation('announcements');
  const roleName = useRoleName();
  const list = useList('/admin/notices', { sorts: 'never' });
  const locale = currentLocale();
  const columns: Column<Announcement>[] = [
    {
      key: 'title',
      label: t(($) => $.heading),
      fixed: true,
      render: (row) => (
        <Text span fz="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {row.title[locale]}
        </Text>
      ),
    },
    {
      key: 'role',
      label: t(($) => $.to),
      render: ({ role }) => (role ? roleName(role) : t(($) => $.everyone)),
    },
    { key: 'by', label: t(($) => $.by), render: ({ by }) => <PersonHandle username={by} /> },
    { key: 'at', label: t(($) => $.at), render: (row) => <When at={row.created_at} /> },
    {
      key: 'told',
      label: t(($) => $.told),
      align: 'right',
      fixed: true,
      render: ({ told, done }) => (
        <>
          <span translate="no">{told}</span>
          {!done && (
            <Text span fz="xs" c="dimmed" display="block">
              {t(($) => $.telling)}
            </Text>
          )}
        </>
      ),
    },
  ];
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.title)} subtitle={t(($) => $.subtitle)} />
      <Writing />
      <List
        list={list}
        name="announcements"
        label={t(($) => $.list)}
        what={t(($) => $.what)}
        columns={columns}
        empty={<EmptyState title={t(($) => $.empty)} />}
      />
    </Stack>
  );
}

/** A new one: its words in three languages, how they will be read, and the last question. */
function Writing() {
  const { t } = useTranslation('announcements');
  const roleName = useRoleName();
  const roles = $api.useQuery('get', '/admin/roles', {}, { staleTime: 300_000 });
  const [draft, setDraft] = useState(begin);
  const [asking, setAsking] = useState(false);
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const { role } = draft;
  const audience = $api.useQuery(
    'get',
    '/admin/notices/audience',
    { params: { query: role === '' ? {} : { role } } },
    { enabled: asking },
  );
  const whole = missing(draft).length === 0;
  const to = role === '' ? t(($) => $.everyone) : roleName(role);
  const people = audience.data?.people;
  return (
    <Section title={t(($) => $.new)} hint={t(($) => $.newHint)}>
      <Stack gap="md">
        {LOCALES.map((locale) => (
          <InLanguage key={locale} locale={locale} draft={draft} set={set} />
        ))}
        <Select
          maw={320}
          label={t(($) => $.to)}
          description={t(($) => $.limit)}
          data={[
            { value: '', label: t(($) => $.everyone) },
            ...(roles.data?.data ?? []).map(({ name }) => ({ value: name, label: roleName(name) })),
          ]}
          value={role}
          onChange={(next) => set({ role: next ?? '' })}
          allowDeselect={false}
        />
        <Preview draft={draft} />
        <Group justify="end">
          <GuardedButton allowed={whole} reason={t(($) => $.missing)} onClick={() => setAsking(true)}>
            {t(($) => $.publish)}
          </GuardedButton>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t(($) => $.confirm)}
        facts={[
          { label: t(($) => $.heading), value: draft.title[currentLocale()] },
          { label: t(($) => $.to), value: to },
          { label: t(($) => $.people), value: <span translate="no">{people ?? '…'}</span> },
        ]}
        consequence={t(($) => $.consequence)}
        confirmLabel={t(($) => $.publish)}
        ready={people !== undefined}
        order={draft.id}
        saves
        onConfirm={async () => {
          await publish(draft);
          setDraft(begin());
          toast.success(t(($) => $.published));
        }}
      />
    </Section>
  );
}

interface InLanguageProps {
  locale: Locale;
  draft: Draft;
  set: (change: Partial<Draft>) => void;
}

function InLanguage({ locale, draft, set }: InLanguageProps) {
  const { t } = useTranslation('announcements');
  const label = (what: string) => t(($) => $.inLanguage, { what, language: LOCALE_LABELS[locale] });
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      <TextInput
        label={label(t(($) => $.heading))}
        lang={LANGUAGE_TAGS[locale]}
        maxLength={MAX_TITLE}
        required
        value={draft.title[locale]}
        onChange={(event) => set({ title: { ...draft.title, [locale]: event.currentTarget.value } })}
      />
      <Textarea
        label={label(t(($) => $.text))}
        lang={LANGUAGE_TAGS[locale]}
        maxLength={MAX_TEXT}
        autosize
        minRows={2}
        required
        value={draft.text[locale]}
        onChange={(event) => set({ text: { ...draft.text, [locale]: event.currentTarget.value } })}
      />
    </SimpleGrid>
  );
}

function Preview({ draft }: { draft: Draft }) {
  const { t } = useTranslation('announcements');
  const [shown, setShown] = useState<Locale>(currentLocale);
  const [title, text] = [draft.title[shown].trim(), draft.text[shown].trim()];
  return (
    <Stack gap="xs" component="section" aria-label={t(($) => $.preview)}>
      <Group justify="space-between">
        <Text fz="sm" fw={600}>
          {t(($) => $.preview)}
        </Text>
        <SegmentedControl
          size="xs"
          aria-label={t(($) => $.previewIn)}
          value={shown}
          onChange={(next) => isLocale(next) && setShown(next)}
          data={LOCALES.map((value) => ({ value, label: LOCALE_LABELS[value] }))}
        />
      </Group>
      <Card withBorder p="md" lang={LANGUAGE_TAGS[shown]}>
        {title === '' && text === '' ? (
          <Text fz="sm" c="dimmed">
            {t(($) => $.nothing)}
          </Text>
        ) : (
          <>
            <Title order={3} fz={15}>
              {title}
            </Title>
            <Text fz="sm" mt="xs" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
              {text}
            </Text>
          </>
        )}
      </Card>
    </Stack>
  );
}
