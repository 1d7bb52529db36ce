import { Stack, Text } from '@mantine/core';
import { IconUsersGroup } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { SHARED_KINDS, type SharedThing, useRelatedColumns } from '@/shared/people/useRelatedColumns';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { useList } from '@/ui/useList';
import { RELATED } from './cases';

/** Accounts that have something in common, whether or not anything moves between them. */
export function Related() {
  const { t } = useTranslation('lists');
  const columns = useRelatedColumns();
  const list = useList(RELATED, { filters: ['tab', 'search', 'kind'], own: ['tab'], sorts: 'never' });
  return (
    <Stack gap="sm">
      <Text fz="sm" c="dimmed">
        {t(($) => $.related.hint)}
      </Text>
      <List<SharedThing, 'tab' | 'search' | 'kind'>
        list={list}
        name="contas-ligadas"
        label={t(($) => $.related.title)}
        what={t(($) => $.related.what)}
        columns={columns}
        fields={[
          { kind: 'search', name: 'search', label: t(($) => $.related.search) },
          {
            kind: 'select',
            name: 'kind',
            label: t(($) => $.related.kind),
            options: SHARED_KINDS.map((value) => ({ value, label: t(($) => $.related.kinds[value]) })),
          },
        ]}
        empty={
          <EmptyState
            icon={<IconUsersGroup size={26} stroke={1.5} />}
            title={t(($) => $.related.empty)}
            hint={t(($) => $.related.emptyHint)}
          />
        }
      />
    </Stack>
  );
}
