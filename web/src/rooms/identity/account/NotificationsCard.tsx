import { Alert, Skeleton, Switch, Table, Text } from '@mantine/core';
import { IconCheck, IconLock } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { mutation } from '@/api/mutation';
import { queryClient } from '@/api/queryClient';
import { ErrorCard } from '@/ui/ErrorCard';
import { Section } from '@/ui/Section';
import { useSaveText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import classes from './NotificationsCard.module.css';

type Row = Schemas['Preference'];
type Rows = Schemas['Preferences'];
/** `wanted`: whether it is told at all, of what is told to those alone who ask for it. */
type Channel = 'wanted' | 'mail' | 'toast' | 'push';

interface Choice {
  group: Row['group'];
  channel: Channel;
  on: boolean;
}

const choose = mutation({
  send: ({ group, channel, on }: Choice) =>
    body(api.PATCH('/notifications/preferences', { body: { group, [channel]: on } })),
  patch: (fresh) =>
    queryClient.setQueriesData<Rows>({ queryKey: ['get', '/notifications/preferences'] }, (before) =>
      before
        ? { ...before, data: before.data.map((row) => (row.group === fresh.group ? fresh : row)) }
        : before,
    ),
  changes: ['/notifications/preferences'],
});

/** Which news comes by mail and on top of the screen; the inbox has all of it, but for what one has to ask for. */
export function NotificationsCard() {
  const { t } = useTranslation('account');
  const { data, error, refetch } = $api.useQuery('get', '/notifications/preferences');
  // A way that nothing comes on has no column.
  const pushed = data?.data.some(({ push }) => typeof push === 'boolean') ?? false;
  return (
    <Section title={t(($) => $.news.title)} hint={t(($) => $.news.hint)}>
      {data ? (
        <>
          <Table className={classes.table ?? ''} verticalSpacing="sm" aria-label={t(($) => $.news.title)}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t(($) => $.news.group)}</Table.Th>
                <Table.Th>{t(($) => $.news.inbox)}</Table.Th>
                <Table.Th>{t(($) => $.news.mail)}</Table.Th>
                <Table.Th>{t(($) => $.news.toast)}</Table.Th>
                {pushed && <Table.Th>{t(($) => $.news.push)}</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.data.map((row) => (
                <Group key={row.group} row={row} pushed={pushed} />
              ))}
            </Table.Tbody>
          </Table>
          <Text fz="sm" c="dimmed" mt="sm">
            {t(($) => $.news.why)}
          </Text>
        </>
      ) : error ? (
        <ErrorCard what={t(($) => $.news.what)} error={error} onRetry={refetch} />
      ) : (
        <Skeleton h={420} radius="md" />
      )}
    </Section>
  );
}

function Group({ row, pushed }: { row: Row; pushed: boolean }) {
  const { t } = useTranslation('account');
  const saveText = useSaveText();
  const { busy, failure, run } = useSubmit(choose);
  const [asked, setAsked] = useState<Choice | null>(null);
  const name = t(($) => $.news.groups[row.group].name);
  const shown = (channel: Channel) =>
    busy && asked?.channel === channel ? asked.on : (row[channel] ?? false);
  const set = (channel: Channel, on: boolean) => {
    const choice = { group: row.group, channel, on };
    setAsked(choice);
    void run(choice);
  };
  const channel = (which: Channel, label: string) =>
    row.locked ? (
      <Always label={`${name}: ${label}`} />
    ) : row[which] === null || row[which] === undefined ? (
      <Text
        span
        fz="sm"
        c="dimmed"
        {...(which === 'mail' && row.inbox && { title: t(($) => $.news.noMail) })}
      >
        –
      </Text>
    ) : (
      <Switch
        checked={shown(which)}
        onChange={(event) => set(which, event.currentTarget.checked)}
        aria-label={`${name}: ${label}`}
        className={classes.switch ?? ''}
      />
    );
  return (
    <>
      <Table.Tr>
        <Table.Th scope="row">
          <Text span display="block" fz="sm" fw={600}>
            {row.locked && <IconLock size={14} aria-hidden className={classes.lock} />}
            <span>{name}</span>
          </Text>
          <Text span display="block" fz="xs" c="dimmed" fw={400}>
            {t(($) => $.news.groups[row.group].hint)}
          </Text>
        </Table.Th>
        <Table.Td>
          {typeof row.wanted === 'boolean' ? (
            channel(
              'wanted',
              t(($) => $.news.inbox),
            )
          ) : (
            <Always label={`${name}: ${t(($) => $.news.inbox)}`} />
          )}
        </Table.Td>
        <Table.Td>
          {channel(
            'mail',
            t(($) => $.news.mail),
          )}
        </Table.Td>
        <Table.Td>
          {channel(
            'toast',
            t(($) => $.news.toast),
          )}
        </Table.Td>
        {pushed && (
          <Table.Td>
            {channel(
              'push',
              t(($) => $.news.push),
            )}
          </Table.Td>
        )}
      </Table.Tr>
      {failure && (
        <Table.Tr>
          <Table.Td colSpan={pushed ? 5 : 4}>
            <Alert color="red" variant="light" role="alert">
              {saveText(failure.error)}
            </Alert>
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

/** On for everybody. */
function Always({ label }: { label: string }) {
  const { t } = useTranslation('account');
  const text = t(($) => $.news.always);
  return (
    <IconCheck
      size={18}
      role="img"
      aria-label={`${label}: ${text}`}
      color="var(--mantine-color-dimmed)"
      className={classes.always}
    >
      <title>{text}</title>
    </IconCheck>
  );
}
