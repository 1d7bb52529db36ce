import { Drawer, Stack, Text, Title } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfig } from '@/api/config';
import { queryClient } from '@/api/queryClient';
import { RiskNotice } from '@/shared/results/RiskNotice';
import { BackCloses } from '@/ui/leaving';
import { useOpensAfter } from '@/ui/useOpensAfter';
import { Officer } from './Officer';
import { Retention } from './Retention';
import { TermsText } from './TermsText';

interface LegalDrawerProps {
  opened: boolean;
  onClose: () => void;
}

/** What one has accepted or is about to, to be read at any time: terms, risk notice, how long what is kept, whom to ask. The public screens have
 *  no answers of their own kept anywhere, so it brings the place where they are. */
export default function LegalDrawer({ opened, onClose }: LegalDrawerProps) {
  const { t } = useTranslation('legal');
  const { t: common } = useTranslation();
  const version = useConfig(({ config }) => config?.termsVersion);
  const shown = useOpensAfter(opened);
  return (
    <Drawer
      opened={shown}
      onClose={onClose}
      position="right"
      size="min(640px, 100%)"
      title={t(($) => $.title)}
      closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
    >
      <BackCloses />
      <QueryClientProvider client={queryClient}>
        <Stack gap="xl">
          <Part title={t(($) => $.terms.title)}>
            <TermsText />
            {version && (
              <Text fz="sm">
                <span>{t(($) => $.version)}</span> <span translate="no">{version}</span>
              </Text>
            )}
          </Part>
          <RiskNotice />
          <Part title={t(($) => $.retention.title)}>
            <Retention />
          </Part>
          <Part title={t(($) => $.officer.title)}>
            <Text fz="sm" c="dimmed">
              {t(($) => $.officer.hint)}
            </Text>
            <Officer />
          </Part>
        </Stack>
      </QueryClientProvider>
    </Drawer>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Title order={3} fz={16} mb={6} id={id}>
        {title}
      </Title>
      {children}
    </section>
  );
}
