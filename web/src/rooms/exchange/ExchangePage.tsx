import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { $api } from '@/api/hooks';
import { OutboundNotice } from '@/shared/payments/OutboundNotice';
import { PageHeader } from '@/ui/PageHeader';
import { ScreenTabs } from '@/ui/ScreenTabs';
import { MarketTab } from './MarketTab';
import { PresaleTab } from './PresaleTab';

const TABS = ['presale', 'market'] as const;
type Tab = (typeof TABS)[number];

/** /exchange/negotiate-igc: PYX in rounds of a fixed price, then in a book against USDT. */
export default function ExchangePage() {
  const { t } = useTranslation('exchange');
  const [search, setSearch] = useSearchParams();
  const shown: Tab = TABS.find((tab) => tab === search.get('tab')) ?? 'presale';
  const state = $api.useQuery('get', '/outbound-state');
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.title)} subtitle={t(($) => $.subtitle)} live />
      <OutboundNotice state={state.data} />
      <ScreenTabs
        label={t(($) => $.title)}
        tabs={TABS.map((name) => ({ name, text: t(($) => $.tabs[name]) }))}
        shown={shown}
        onShow={(tab) => setSearch(tab === 'presale' ? {} : { tab }, { replace: true })}
      >
        {shown === 'presale' ? <PresaleTab state={state.data} /> : <MarketTab state={state.data} />}
      </ScreenTabs>
    </Stack>
  );
}
