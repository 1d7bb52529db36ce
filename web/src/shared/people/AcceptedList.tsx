import { Badge, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { useConfig } from '@/api/config';
import { LOCALE_LABELS } from '@/i18n/locales';
import { plainList } from '@/ui/plainList';
import { When } from '@/ui/When';

interface AcceptedListProps {
  accepted: readonly Schemas['Acceptance'][];
}

/** The terms and risk notices that somebody accepted, version by version. */
export function AcceptedList({ accepted }: AcceptedListProps) {
  const { t } = useTranslation('legal');
  const inForce = useConfig(({ config }) => config?.termsVersion);
  if (accepted.length === 0)
    return (
      <Text fz="sm" c="dimmed">
        {t(($) => $.accepted.none)}
      </Text>
    );
  return (
    <Stack gap="sm" component="ul" {...plainList} aria-label={t(($) => $.accepted.title)}>
      {accepted.map(({ what, version, language, at, lastAt, times }) => (
        <li key={`${what} ${version}`}>
          <Group gap={8}>
            <Text fz="sm" fw={600}>
              <span>{t(($) => $.accepted.texts[what])}</span> <span translate="no">{version}</span>
            </Text>
            {version === inForce && (
              <Badge size="sm" variant="light" color="mint">
                {t(($) => $.accepted.now)}
              </Badge>
            )}
          </Group>
          <Text fz="sm" c="dimmed" component="div">
            <span>{t(($) => $.accepted.at)}</span> <When at={at} />
            {language && <span translate="no">{` · ${LOCALE_LABELS[language]}`}</span>}
          </Text>
          {times > 1 && (
            <Text fz="sm" c="dimmed" component="div">
              <span>{t(($) => $.accepted.again, { count: times })}</span> <When at={lastAt} />
            </Text>
          )}
        </li>
      ))}
    </Stack>
  );
}
