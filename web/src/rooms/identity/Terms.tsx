import { ScrollArea, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** The terms of use, where they are accepted. */
export function Terms() {
  const { t } = useTranslation('identity');
  const points = [
    t(($) => $.termsText.service),
    t(($) => $.termsText.account),
    t(($) => $.termsText.money),
    t(($) => $.termsText.network),
    t(($) => $.termsText.data),
    t(($) => $.termsText.end),
  ];
  return (
    <ScrollArea.Autosize
      mah={170}
      type="auto"
      offsetScrollbars
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': t(($) => $.termsText.title) }}
    >
      <Text fz="sm" fw={600} mb={4}>
        {t(($) => $.termsText.title)}
      </Text>
      {points.map((point) => (
        <Text key={point} fz="sm" c="dimmed" mb={6}>
          {point}
        </Text>
      ))}
    </ScrollArea.Autosize>
  );
}
