import { Alert, Drawer, Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { useLogWords } from '@/shared/audit/useLogWords';
import { actionOf, factsOf, type Log } from '@/shared/audit/words';
import { LastRow } from '@/shared/decisions/LastRow';
import { PersonFact } from '@/shared/people/PersonCell';
import { CopyText } from '@/ui/CopyText';
import { ErrorCard } from '@/ui/ErrorCard';
import { When } from '@/ui/When';

/** Which entry is open stands in the address. */
export function useOpenEntry() {
  const [search, setSearch] = useSearchParams();
  const open = (id: number | null) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (id === null) next.delete('entry');
        else next.set('entry', String(id));
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  const id = Number(search.get('entry'));
  return [Number.isSafeInteger(id) && id > 0 ? id : null, open] as const;
}

/** One entry with all that it says, and its link. */
export function EntryDrawer({ id, onClose }: { id: number | null; onClose: () => void }) {
  const { t } = useTranslation('audit');
  const { t: common } = useTranslation();
  return (
    <LastRow row={id}>
      {(shown, opened) => (
        <Drawer
          opened={opened}
          onClose={onClose}
          position="right"
          size="min(620px, 100%)"
          title={
            <Title order={2} fz={18}>
              {t(($) => $.entry.title, { number: shown })}
            </Title>
          }
          closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
        >
          <Content id={shown} />
        </Drawer>
      )}
    </LastRow>
  );
}

function Content({ id }: { id: number }) {
  const { t } = useTranslation('audit');
  const answer = $api.useQuery('get', '/admin/audit/{id}', { params: { path: { id } } }, { retry: false });
  const { data } = answer;
  if (answer.error && !data)
    return <ErrorCard what={t(($) => $.entry.what)} error={answer.error} onRetry={answer.refetch} />;
  if (!data) return <Skeleton h={420} radius="md" />;
  return (
    <Stack gap="lg">
      <Entry row={data.entry} />
      <Linked link={data.link ?? null} />
    </Stack>
  );
}

/** Some details share a word: then a name of its own tells them apart. */
type Fact = readonly [label: string, value: ReactNode, name?: string];

function Facts({ label, facts }: { label: string; facts: readonly Fact[] }) {
  return (
    <Table variant="vertical" layout="fixed" aria-label={label}>
      <Table.Tbody>
        {facts.map(([label, value, name = label]) => (
          <Table.Tr key={name}>
            <Table.Th w="36%" fw={500} c="dimmed" bg="transparent">
              {label}
            </Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** An id or a digest, whole, with its copy button. */
export function Code({ value, copy }: { value: string; copy: string }) {
  return (
    <Group gap={6} wrap="nowrap" align="start">
      <Text span fz="xs" ff="monospace" translate="no" style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
        {value}
      </Text>
      <CopyText value={value} label={copy} />
    </Group>
  );
}

function Entry({ row }: { row: Log }) {
  const { t } = useTranslation('audit');
  const { t: logs } = useTranslation('logs');
  const words = useLogWords();
  const { before, after, rest } = factsOf(words, row);
  const facts: Fact[] = [
    [logs(($) => $.columns.at), <When key="at" at={row.created_at} />],
    [logs(($) => $.columns.action), actionOf(words, row.action)],
    [
      t(($) => $.entry.code),
      <Text key="code" span fz="xs" ff="monospace" translate="no">
        {row.action}
      </Text>,
    ],
    [logs(($) => $.columns.category), logs(($) => $.categories[row.category as 'auth'])],
    [
      logs(($) => $.columns.actor),
      row.actor ? <PersonFact key="actor" person={row.actor} /> : logs(($) => $.columns.platform),
    ],
    [logs(($) => $.columns.subject), row.subject ? <PersonFact key="subject" person={row.subject} /> : '–'],
  ];
  if (row.about)
    facts.push([
      t(($) => $.entry.thing),
      <Code key="about" value={row.about} copy={t(($) => $.entry.copy)} />,
    ]);
  if (before !== null) facts.push([t(($) => $.entry.before), before]);
  if (after !== null) facts.push([t(($) => $.entry.after), after]);
  for (const { name, label, text } of rest) facts.push([label, text, name]);
  return <Facts label={t(($) => $.entry.title, { number: row._id })} facts={facts} />;
}

function Linked({ link }: { link: Schemas['AuditLink'] | null }) {
  const { t } = useTranslation('audit');
  const heading = useId();
  return (
    <section aria-labelledby={heading}>
      <Stack gap="sm">
        <Title order={3} fz={16} id={heading}>
          {t(($) => $.link.title)}
        </Title>
        {link === null ? (
          <Alert color="gray" variant="light" role="note">
            {t(($) => $.link.waits)}
          </Alert>
        ) : (
          <>
            <Alert
              color={link.matches ? 'mint' : 'red'}
              variant="light"
              role={link.matches ? 'status' : 'alert'}
            >
              <Text fz="sm">{link.matches ? t(($) => $.link.matches) : t(($) => $.link.differs)}</Text>
              <Text fz="xs" c="dimmed">
                {t(($) => $.link.alone)}
              </Text>
            </Alert>
            <Facts
              label={t(($) => $.link.title)}
              facts={[
                [t(($) => $.link.number), <span key="number">{link.number}</span>],
                [t(($) => $.link.at), <When key="at" at={link.linkedAt} />],
                [
                  t(($) => $.link.digest),
                  <Code key="digest" value={link.digest} copy={t(($) => $.link.copy)} />,
                ],
                [
                  t(($) => $.link.previous),
                  link.before ? (
                    <Code key="before" value={link.before} copy={t(($) => $.link.copyPrevious)} />
                  ) : (
                    t(($) => $.link.gone)
                  ),
                ],
              ]}
            />
          </>
        )}
      </Stack>
    </section>
  );
}
