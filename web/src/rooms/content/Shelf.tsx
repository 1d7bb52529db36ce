import { Button, Center, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { LOCALE_LABELS, LOCALES } from '@/i18n/locales';
import { Pages } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { FilterBar } from '@/ui/FilterBar';
import { useList } from '@/ui/useList';
import type { Kind } from './content';
import { ItemCard } from './ItemCard';
import { ItemDrawer, useOpenItem } from './ItemDrawer';

const COLUMNS = { base: 1, xs: 2, lg: 3, xl: 4 };

/** What is published of a kind, as cards: found, narrowed by language, opened. */
export function Shelf({ kind, what, empty }: { kind: Kind; what: string; empty: string }) {
  const { t } = useTranslation('content');
  const { t: common } = useTranslation();
  const { t: lists } = useTranslation('lists');
  const list = useList('/content', {
    sorts: 'never',
    filters: ['search', 'language'],
    ask: () => ({ kind }),
  });
  const [open, setOpen] = useOpenItem();
  const { rows, meta, state } = list;
  const languages = [
    ...LOCALES.map((value) => ({ value: value as string, label: LOCALE_LABELS[value] })),
    { value: 'all', label: t(($) => $.filter.all) },
  ];
  return (
    <Stack gap="md">
      <FilterBar
        query={state}
        fields={[
          { kind: 'search', name: 'search' },
          { kind: 'select', name: 'language', label: t(($) => $.filter.language), options: languages },
        ]}
      />
      {list.error ? (
        <ErrorCard what={what} error={list.error} onRetry={list.refetch} />
      ) : rows === undefined ? (
        <SimpleGrid cols={COLUMNS}>
          {Array.from({ length: 4 }, (_, n) => (
            <Skeleton key={String(n)} h={300} radius="md" />
          ))}
        </SimpleGrid>
      ) : rows.length === 0 ? (
        state.filtered ? (
          <EmptyState
            title={lists(($) => $.table.noMatch)}
            action={
              <Button variant="default" size="xs" onClick={state.clearFilters}>
                {common(($) => $.actions.clearFilters)}
              </Button>
            }
          />
        ) : (
          <EmptyState title={empty} hint={t(($) => $.emptyHint)} />
        )
      ) : (
        <SimpleGrid cols={COLUMNS}>
          {rows.map((item) => (
            <ItemCard key={item._id} item={item} onOpen={() => setOpen(item._id)} />
          ))}
        </SimpleGrid>
      )}
      {meta && (
        <Center>
          <Pages query={state} meta={meta} />
        </Center>
      )}
      <ItemDrawer id={open} onClose={() => setOpen(null)} />
    </Stack>
  );
}
