import { Button, Drawer, Skeleton, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChartBar } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { ShortTable } from '@/ui/ShortTable';
import { useDeskReport } from './desk';

/** The desk's work by day and how customers found it, behind a button. */
export function DeskReport() {
  const { t } = useTranslation('desk');
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" leftSection={<IconChartBar size={16} aria-hidden />} onClick={open}>
        {t(($) => $.report.open)}
      </Button>
      <Drawer
        opened={opened}
        onClose={close}
        position="right"
        size="lg"
        title={t(($) => $.report.title)}
        closeButtonProps={{ 'aria-label': t(($) => $.report.close) }}
      >
        {opened && <Days />}
      </Drawer>
    </>
  );
}

function Days() {
  const { t } = useTranslation('desk');
  const { compact, count, date, span } = useFormat();
  const { data, error, refetch } = useDeskReport(true);
  if (error && !data) return <ErrorCard what={t(($) => $.report.what)} error={error} onRetry={refetch} />;
  if (!data) return <Skeleton h={320} radius="md" />;
  const average = ({ ratings, ratingSum }: { ratings: number; ratingSum: number }) =>
    ratings === 0 ? '–' : `${compact(Math.round((ratingSum / ratings) * 10) / 10)} (${count(ratings)})`;
  return (
    <Stack gap="md">
      <Text fz="sm" c="dimmed">
        {t(($) => $.report.hint)}
      </Text>
      <ShortTable
        label={t(($) => $.report.label)}
        rows={data.data}
        rowKey={({ day }) => day}
        columns={[
          { key: 'day', label: t(($) => $.report.day), render: ({ day }) => date(day) },
          {
            key: 'opened',
            label: t(($) => $.report.opened),
            figure: true,
            render: (row) => count(row.opened),
          },
          {
            key: 'solved',
            label: t(($) => $.report.solved),
            figure: true,
            render: (row) => count(row.solved),
          },
          {
            key: 'first',
            label: t(($) => $.report.firstAnswer),
            figure: true,
            render: ({ firstAnswerSeconds: seconds }) => (seconds == null ? '–' : span(seconds * 1000)),
          },
          { key: 'rating', label: t(($) => $.report.rating), figure: true, render: average },
        ]}
      />
      {data.agents.length > 0 && (
        <ShortTable
          label={t(($) => $.report.byAgent)}
          caption
          rows={data.agents}
          rowKey={({ agent }) => agent._id}
          columns={[
            {
              key: 'agent',
              label: t(($) => $.report.agent),
              render: ({ agent }) => <span translate="no">{agent.name}</span>,
            },
            { key: 'rating', label: t(($) => $.report.rating), figure: true, render: average },
          ]}
        />
      )}
    </Stack>
  );
}
