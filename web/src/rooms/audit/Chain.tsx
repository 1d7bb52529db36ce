import { Alert, Card, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { Pairs } from '@/ui/Pairs';
import { StatTile } from '@/ui/StatTile';
import { When } from '@/ui/When';
import { Code } from './EntryDrawer';

type State = Schemas['AuditChain'];

/** How the chain stands: how long it is, and what the newest signature says of it. Nothing more is known without reading all of it. */
export function Chain() {
  const { t } = useTranslation('audit');
  const chain = $api.useQuery('get', '/admin/audit-chain');
  const { data } = chain;
  if (chain.error && !data)
    return <ErrorCard what={t(($) => $.chain.what)} error={chain.error} onRetry={chain.refetch} />;
  return (
    <Card component="section" aria-labelledby="audit-chain">
      <Stack gap="md">
        <Title order={2} fz={17} id="audit-chain">
          {t(($) => $.chain.title)}
        </Title>
        <Figures state={data} />
        {data ? <Warnings state={data} /> : null}
        {data ? <Digests state={data} /> : <Skeleton h={88} radius="md" aria-hidden />}
        <Text fz="xs" c="dimmed">
          {t(($) => $.chain.says)}
        </Text>
      </Stack>
    </Card>
  );
}

function Figures({ state }: { state: State | undefined }) {
  const { t } = useTranslation('audit');
  const { count, date } = useFormat();
  const newest = state?.signing?.newest;
  const signatures = state?.signing?.signatures ?? 0;
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      <StatTile
        label={t(($) => $.chain.entries)}
        value={state && count(state.entries)}
        hint={state?.linkedAt ? <When at={state.linkedAt} /> : '–'}
        loading={!state}
      />
      <StatTile
        label={t(($) => $.chain.signed)}
        value={newest ? date(newest.at) : t(($) => $.chain.never)}
        hint={
          newest ? (
            <>
              <When at={newest.at} /> ·{' '}
              <span>{t(($) => $.chain.upTo, { number: count(newest.number) })}</span>
            </>
          ) : (
            '–'
          )
        }
        loading={!state}
      />
      <StatTile
        label={t(($) => $.chain.signature)}
        value={newest ? (newest.stands ? t(($) => $.chain.valid) : t(($) => $.chain.invalid)) : '–'}
        hint={t(($) => $.chain.count, { count: signatures, shown: count(signatures) })}
        loading={!state}
      />
    </SimpleGrid>
  );
}

function Warnings({ state: { signing } }: { state: State }) {
  const { t } = useTranslation('audit');
  if (!signing)
    return (
      <Alert color="gray" variant="light" role="note">
        {t(($) => $.chain.noKey)}
      </Alert>
    );
  const wrong = [
    signing.newest?.stands === false && t(($) => $.chain.broken),
    signing.unreadable > 0 && t(($) => $.chain.unreadable),
  ].filter((line) => line !== false);
  return (
    <>
      {wrong.map((line) => (
        <Alert key={line} color="red" variant="light" role="alert">
          {line}
        </Alert>
      ))}
      {signing.overdue && (
        <Alert color="gold" variant="light" role="alert">
          {t(($) => $.chain.overdue)}
        </Alert>
      )}
    </>
  );
}

function Digests({ state }: { state: State }) {
  const { t } = useTranslation('audit');
  const codes = [
    { key: 'head', label: t(($) => $.chain.head), value: state.digest, copy: t(($) => $.chain.copyHead) },
    { key: 'key', label: t(($) => $.chain.key), value: state.signing?.key, copy: t(($) => $.chain.copyKey) },
  ];
  return (
    <Pairs
      row={state}
      columns={codes.map(({ key, label, value, copy }) => ({
        key,
        label,
        render: () => (value ? <Code value={value} copy={copy} /> : '–'),
      }))}
    />
  );
}
