import { Drawer, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { mayRead } from '@/api/session';
import { Finances } from '@/shared/people/Finances';
import { ManualKeys } from './ManualKeys';

type Person = Schemas['BalanceRow'];

/** A person's money in sums of what is booked: where it lies, what came in, what went out. */
export function FinancialSummary({ person, onClose }: { person: Person | null; onClose: () => void }) {
  const { t } = useTranslation('sponsorship');
  const { t: common } = useTranslation();
  return (
    <Drawer
      opened={person !== null}
      onClose={onClose}
      position="right"
      size="min(760px, 100%)"
      title={
        <Title order={2} fz={18}>
          {person ? t(($) => $.summary.title, { name: person.fullName }) : ''}
        </Title>
      }
      closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
    >
      {person && (
        <Finances id={person._id}>
          {mayRead('admin_permissions') && <ManualKeys person={person._id} />}
        </Finances>
      )}
    </Drawer>
  );
}
