import { Button, Card, Group, Stack } from '@mantine/core';
import { IconBrandWhatsapp, IconHeadset } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useConfig } from '@/api/config';
import { isChat } from '@/shared/support/chat';
import { EmptyState } from '@/ui/EmptyState';
import { PageHeader } from '@/ui/PageHeader';

/** /support-whatsapp: opens the external chat in a tab of its own, at once as far as the browser lets it; where it does not, by the button.
 *  A house without one answers by tickets. */
export default function WhatsappPage() {
  const { t } = useTranslation('content');
  const url = useConfig(({ config }) => config?.whatsapp);
  const chat = isChat(url);
  const opened = useRef<string>(undefined);
  useEffect(() => {
    // Once a visit: an effect may run again.
    if (!isChat(url) || opened.current === url) return;
    opened.current = url;
    window.open(url, '_blank', 'noopener,noreferrer');
  }, [url]);
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.whatsapp.title)} subtitle={t(($) => $.whatsapp.subtitle)} />
      <Card>
        <EmptyState
          icon={<IconBrandWhatsapp size={26} stroke={1.5} />}
          title={chat ? t(($) => $.whatsapp.open) : t(($) => $.whatsapp.none)}
          hint={
            chat ? (
              <Stack gap="xs">
                <span>{t(($) => $.whatsapp.blocked)}</span>
                <span>{t(($) => $.whatsapp.careful)}</span>
              </Stack>
            ) : (
              t(($) => $.whatsapp.noneHint)
            )
          }
          action={
            <Group justify="center" gap="sm" mt="xs">
              {chat && (
                <Button
                  component="a"
                  href={url}
                  target="_blank"
                  rel="noreferrer"
                  leftSection={<IconBrandWhatsapp size={18} aria-hidden />}
                >
                  {t(($) => $.whatsapp.go)}
                </Button>
              )}
              <Button
                component={Link}
                to="/support"
                variant={chat ? 'default' : 'filled'}
                leftSection={<IconHeadset size={18} aria-hidden />}
              >
                {t(($) => $.whatsapp.tickets)}
              </Button>
            </Group>
          }
        />
      </Card>
    </Stack>
  );
}
