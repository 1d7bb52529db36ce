import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { OldestWaits } from '@/shared/decisions/OldestWaits';
import { PageHeader } from '@/ui/PageHeader';
import { ScreenTabs } from '@/ui/ScreenTabs';
import { useTableQuery } from '@/ui/useTableQuery';
import { Cases, TABS, type Tab } from './Cases';
import { CASES } from './cases';
import { Pauses } from './Pauses';
import { Related } from './Related';

/** /compliance-cases: what the rules want a person to look at, accounts that have something in common, and where outgoing money stands
 *  still. */
export default function CompliancePage() {
  const { t } = useTranslation('compliance');
  const table = useTableQuery({ filters: ['tab'] });
  const tab: Tab = Object.hasOwn(TABS, table.filters.tab ?? '') ? (table.filters.tab as Tab) : 'open';
  const head = $api.useQuery('get', CASES, {
    params: { query: { status: 'open', limit: 1 } },
  });
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.title)}
        subtitle={
          <OldestWaits
            pending={head.data?.pending}
            oldest={head.data?.oldest}
            intro={t(($) => $.subtitle)}
            nobody={t(($) => $.nobody)}
            since={(ago) => t(($) => $.oldest, { ago })}
          />
        }
        live
      />
      <ScreenTabs
        label={t(($) => $.tabs.label)}
        tabs={(Object.keys(TABS) as Tab[]).map((name) => ({
          name,
          text: t(($) => $.tabs[name]),
          count: name === 'open' ? head.data?.pending : undefined,
        }))}
        shown={tab}
        onShow={(next) => table.setFilter('tab', next === 'open' ? null : next)}
      >
        {tab === 'pauses' ? <Pauses /> : tab === 'related' ? <Related /> : <Cases tab={tab} />}
      </ScreenTabs>
    </Stack>
  );
}
