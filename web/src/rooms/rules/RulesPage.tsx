import { Skeleton, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { ErrorCard } from '@/ui/ErrorCard';
import { PageHeader } from '@/ui/PageHeader';
import { ScreenTabs } from '@/ui/ScreenTabs';
import { Together } from '@/ui/Together';
import { Feeds } from './Feeds';
import { History } from './History';
import { ManualReport } from './ManualReport';
import { Plans } from './Plans';
import { useFeeds, useRules } from './rules';
import { Settings } from './Settings';
import { Trading } from './Trading';
import { Waiting } from './Waiting';

const TABS = ['rules', 'plans', 'feeds', 'manual', 'history'] as const;
type Tab = (typeof TABS)[number];
/** For those who may see the desk. */
const OF_THE_DESK: ReadonlySet<Tab> = new Set(['feeds', 'manual']);

/** /administrator/robot-config: the rules that staff may tune, and who did. */
export default function RulesPage() {
  const { t } = useTranslation('rules');
  const [search, setSearch] = useSearchParams();
  const rules = useRules();
  const feeds = useFeeds();
  const shown = TABS.filter((name) => !OF_THE_DESK.has(name) || feeds.data !== null);
  const tab: Tab = shown.find((name) => name === search.get('tab')) ?? 'rules';
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.title)} subtitle={t(($) => $.subtitle)} live />
      <Together>
        <Trading />
        {rules.data && rules.data.waiting.length > 0 && <Waiting changes={rules.data.waiting} />}
        <ScreenTabs
          label={t(($) => $.tabs.label)}
          tabs={shown.map((name) => ({ name, text: t(($) => $.tabs[name]) }))}
          shown={tab}
          onShow={(next) => setSearch(next === 'rules' ? {} : { tab: next }, { replace: true })}
        >
          {tab === 'history' ? (
            <History />
          ) : tab === 'feeds' ? (
            <Feeds feeds={feeds} />
          ) : tab === 'manual' ? (
            <ManualReport />
          ) : rules.error && !rules.data ? (
            <ErrorCard what={t(($) => $.what)} error={rules.error} onRetry={rules.refetch} />
          ) : !rules.data ? (
            <Skeleton h={420} radius="md" />
          ) : tab === 'plans' ? (
            <Plans revision={rules.data.revision} waiting={rules.data.waiting} />
          ) : (
            <Settings rules={rules.data} />
          )}
        </ScreenTabs>
      </Together>
    </Stack>
  );
}
