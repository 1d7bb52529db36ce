import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { PageHeader } from '@/ui/PageHeader';
import { ScreenTabs } from '@/ui/ScreenTabs';
import { Events } from './Events';
import { Ledger } from './Ledger';
import { Year } from './Year';

const TABS = ['events', 'ledger', 'year'] as const;

/** /customer/extrato: what happened, a line an event; one tab further the books' own lines; and a year as a tax return asks for it. */
export default function StatementPage() {
  const { t } = useTranslation('statement');
  const [search, setSearch] = useSearchParams();
  // Who asks for an account or a kind of movement means the books.
  const ledger = search.has('account') || search.has('kind');
  const shown = ledger ? 'ledger' : (TABS.find((name) => name === search.get('view')) ?? 'events');
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.title)} subtitle={t(($) => $.subtitle)} live />
      <ScreenTabs
        label={t(($) => $.title)}
        shown={shown}
        onShow={(name) => setSearch(name === 'events' ? {} : { view: name }, { replace: true })}
        tabs={TABS.map((name) => ({ name, text: t(($) => $.views[name]) }))}
      >
        {shown === 'ledger' ? <Ledger /> : shown === 'year' ? <Year /> : <Events />}
      </ScreenTabs>
    </Stack>
  );
}
