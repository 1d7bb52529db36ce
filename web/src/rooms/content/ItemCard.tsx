import { Badge, Card, Group, Progress, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { currentLocale } from '@/i18n';
import { LOCALE_LABELS } from '@/i18n/locales';
import { formatBytes } from '@/ui/FileDrop';
import { beginning } from './blocks';
import classes from './Content.module.css';
import { Cover } from './Cover';
import { type Item, kindOf } from './content';

/** One item of the page: all of it opens it. */
export function ItemCard({ item, onOpen }: { item: Item; onOpen: () => void }) {
  const { t } = useTranslation('content');
  const { file, progress } = item;
  const begun = !progress.done && progress.seconds > 0;
  return (
    <Card component="article" aria-label={item.title} className={classes.card} pos="relative" p="md">
      <Cover cover={item.cover} file={file} />
      <Group gap={6}>
        {file && (
          <Badge size="sm" variant="light" color="gray">
            {t(($) => $.file[kindOf(file)])}
          </Badge>
        )}
        {item.language !== currentLocale() && (
          <Badge size="sm" variant="light" color="blue">
            {LOCALE_LABELS[item.language]}
          </Badge>
        )}
        {progress.done && (
          <Badge size="sm" variant="light" color="mint" leftSection={<IconCheck size={12} aria-hidden />}>
            {t(($) => $.progress.done)}
          </Badge>
        )}
        {begun && (
          <Badge size="sm" variant="light" color="gold">
            {t(($) => $.progress.begun)}
          </Badge>
        )}
      </Group>
      <button type="button" className={classes.open} onClick={onOpen} lang={item.language}>
        {item.title}
      </button>
      <Text fz="sm" c="dimmed" lang={item.language} lineClamp={3}>
        {beginning(item.text)}
      </Text>
      {file && item.kind === 'material' && (
        <Text fz="xs" c="dimmed" className="num" mt="auto">
          {formatBytes(file.bytes)}
        </Text>
      )}
      {item.kind === 'lesson' && progress.done && (
        <Progress value={100} size="xs" mt="auto" color="mint" aria-label={t(($) => $.progress.done)} />
      )}
    </Card>
  );
}
