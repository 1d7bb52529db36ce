import { Anchor, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useConfig } from '@/api/config';

/** Whom to write to about what is kept of one. */
export function Officer() {
  const { t } = useTranslation('legal');
  const officer = useConfig(({ config }) => config?.officer);
  if (!officer) return null;
  return (
    <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }} data-testid="data-officer">
      <span>{t(($) => $.officer.label)}</span> <span translate="no">{officer.name}</span>,{' '}
      <Anchor
        href={`mailto:${officer.email}`}
        inherit
        underline="always"
        display="inline-block"
        translate="no"
      >
        {officer.email}
      </Anchor>
    </Text>
  );
}
