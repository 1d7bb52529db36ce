import { Modal, Skeleton, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { $api } from '@/api/hooks';
import { currentLocale } from '@/i18n';
import { ErrorCard } from '@/ui/ErrorCard';
import { When } from '@/ui/When';

/** The words of the announcement that the address names; its notice leads here. */
export function AnnouncementDialog() {
  const { t } = useTranslation('shell');
  const [query, setQuery] = useSearchParams();
  const id = query.get('announcement') ?? '';
  const close = () =>
    setQuery(
      (before) => {
        before.delete('announcement');
        return before;
      },
      { replace: true },
    );
  const { data, error, refetch } = $api.useQuery(
    'get',
    '/announcements/{announcementId}',
    { params: { path: { announcementId: id } } },
    { enabled: id !== '' },
  );
  const locale = currentLocale();
  return (
    <Modal
      opened={id !== ''}
      onClose={close}
      title={data?.title[locale] ?? t(($) => $.notices.announcement)}
      centered
    >
      {data ? (
        <Stack gap="sm">
          <Text fz="sm" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
            {data.text[locale]}
          </Text>
          <Text fz="xs" c="dimmed">
            <When at={data.created_at} />
          </Text>
        </Stack>
      ) : error ? (
        <ErrorCard what={t(($) => $.notices.theAnnouncement)} error={error} onRetry={refetch} />
      ) : (
        <Skeleton h={120} />
      )}
    </Modal>
  );
}
