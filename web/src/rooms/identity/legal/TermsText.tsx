import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** The terms of use, point by point. */
export function TermsText() {
  const { t } = useTranslation('legal');
  const points = [
    t(($) => $.terms.service),
    t(($) => $.terms.account),
    t(($) => $.terms.money),
    t(($) => $.terms.network),
    t(($) => $.terms.data),
    t(($) => $.terms.end),
  ];
  return points.map((point) => (
    <Text key={point} fz="sm" c="dimmed" mb={6}>
      {point}
    </Text>
  ));
}
