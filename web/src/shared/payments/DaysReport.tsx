import { SimpleGrid, Stack } from '@mantine/core';
import { IconReportMoney } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { $api } from '@/api/hooks';
import { Money } from '@/ui/Money';
import { StatTile } from '@/ui/StatTile';
import { Days } from './Days';

/** The calls that add up what a queue's list shows. */
export type ReportPath =
  | '/admin/crypto-deposits-report'
  | '/admin/pix-deposits-report'
  | '/admin/crypto-withdrawals-report'
  | '/admin/pix-withdrawals-report';

type Filter =
  | 'search'
  | 'status'
  | 'function'
  | 'startDate'
  | 'endDate'
  | 'selectedProduct'
  | 'selectedMethod'
  | 'coin';

interface DaysReportProps {
  path: ReportPath;
  /** Those of the list, as they are set. */
  filters: Partial<Record<Filter, string>>;
  /** What is counted, what is summed, and the sums by day. */
  words: { count: string; total: string; perDay: string };
  icon: ReactNode;
}

/** What all rows add up to that the filters let through and that count, and by day as bars. */
export function DaysReport({ path, filters, words, icon }: DaysReportProps) {
  // All answer alike, and each is asked with filters of its own list.
  const report = $api.useQuery('get', path as '/admin/crypto-deposits-report', {
    params: { query: filters },
  });
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 2 }}>
        <StatTile
          label={words.count}
          value={report.data?.count ?? '–'}
          loading={report.isPending}
          icon={icon}
        />
        <StatTile
          label={words.total}
          value={report.data ? <Money value={report.data.total} /> : '–'}
          loading={report.isPending}
          icon={<IconReportMoney size={20} />}
        />
      </SimpleGrid>
      <Days title={words.perDay} count={words.count} total={words.total} days={report.data?.days} />
    </Stack>
  );
}
