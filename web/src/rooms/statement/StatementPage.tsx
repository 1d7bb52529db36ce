import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { PageHeader } from '@/ui/PageHeader';
import { ScreenTabs } from '@/ui/ScreenTabs';
import { Events } from './Events';
import { Ledger } from './Ledger';

/** /customer/extrato: what happened, a line an event; and one tab further the books' own lines. */
export default function StatementPage() {
  const { t } = useTranslation('statement');
  const [search, setSearch] = useSearchParams();
  // Who asks for an account or a kind of movement means the books.
  const ledger = search.get('view') === 'ledger' || search.has('account') || search.has('kind');
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.title)} subtitle={t(($) => $.subtitle)} live />
      <ScreenTabs
        label={t(($) => $.title)}
        shown={ledger ? 'ledger' : 'events'}
        onShow={(name) => setSearch(name === 'ledger' ? { view: 'ledger' } : {}, { replace: true })}
        tabs={[
          { name: 'events', text: t(($) => $.views.events) },
          { name: 'ledger', text: t(($) => $.views.ledger) },
        ]}
      >
        {ledger ? <Ledger /> : <Events />}
      </ScreenTabs>
    </Stack>
  );
}
