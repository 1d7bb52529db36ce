import { Button, Drawer, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconCheck, IconRotate } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { $api } from '@/api/hooks';
import { LastRow } from '@/shared/decisions/LastRow';
import { ErrorCard } from '@/ui/ErrorCard';
import { usePress } from '@/ui/usePress';
import { When } from '@/ui/When';
import { Article } from './Article';
import { type Item, keepProgress } from './content';
import { FileView } from './FileView';

/** Which item is open stands in the address. */
export function useOpenItem() {
  const [search, setSearch] = useSearchParams();
  const open = (id: string | null) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (id === null) next.delete('item');
        else next.set('item', id);
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  return [search.get('item'), open] as const;
}

/** One item to read, watch and have. */
export function ItemDrawer({ id, onClose }: { id: string | null; onClose: () => void }) {
  const { t } = useTranslation('content');
  return (
    <LastRow row={id}>
      {(shown, opened) => (
        <Drawer
          opened={opened}
          onClose={onClose}
          position="right"
          size="min(760px, 100%)"
          title={t(($) => $.item.title)}
        >
          <Content id={shown} />
        </Drawer>
      )}
    </LastRow>
  );
}

function Content({ id }: { id: string }) {
  const { t } = useTranslation('content');
  const answer = $api.useQuery('get', '/content/{id}', { params: { path: { id } } }, { retry: false });
  const item = answer.data;
  if (answer.error && !item)
    return <ErrorCard what={t(($) => $.item.what)} error={answer.error} onRetry={answer.refetch} />;
  if (!item) return <Skeleton h={360} radius="md" />;
  return (
    <Stack gap="md">
      <div>
        <Title order={2} fz={20} lang={item.language} style={{ overflowWrap: 'anywhere' }}>
          {item.title}
        </Title>
        <Text fz="xs" c="dimmed" component="div">
          <When at={item.published_at} />
        </Text>
      </div>
      {item.file && (
        <FileView id={item._id} title={item.title} file={item.file} from={item.progress.seconds} />
      )}
      <Article text={item.text} language={item.language} />
      {item.kind === 'lesson' && <Done item={item} />}
    </Stack>
  );
}

function Done({ item }: { item: Item }) {
  const { t } = useTranslation('content');
  const { busy, run } = usePress(keepProgress);
  const { done, seconds } = item.progress;
  return (
    <Button
      variant={done ? 'default' : 'light'}
      loading={busy}
      leftSection={done ? <IconRotate size={17} aria-hidden /> : <IconCheck size={17} aria-hidden />}
      onClick={() => void run({ id: item._id, seconds: done ? 0 : seconds, done: !done })}
      style={{ alignSelf: 'start' }}
    >
      {done ? t(($) => $.progress.again) : t(($) => $.progress.finish)}
    </Button>
  );
}
