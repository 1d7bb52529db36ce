import { ScrollArea, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Officer } from './legal/Officer';
import { TermsText } from './legal/TermsText';

/** The terms of use, where they are accepted. */
export function Terms() {
  const { t } = useTranslation('legal');
  return (
    <ScrollArea.Autosize
      mah={170}
      type="auto"
      offsetScrollbars
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': t(($) => $.terms.title) }}
    >
      <Text fz="sm" fw={600} mb={4}>
        {t(($) => $.terms.title)}
      </Text>
      <TermsText />
      <Officer />
    </ScrollArea.Autosize>
  );
}
