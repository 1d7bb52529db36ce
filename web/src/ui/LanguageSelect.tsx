import { NativeSelect } from '@mantine/core';
import { IconLanguage } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LOCALE_LABELS, LOCALES } from '@/i18n/locales';

/** The browser's own list: on the public screens a menu would cost more bytes than the form. */
export function LanguageSelect() {
  const { t, i18n } = useTranslation();
  return (
    <NativeSelect
      size="sm"
      w={152}
      aria-label={t(($) => $.language.choose)}
      leftSection={<IconLanguage size={18} stroke={1.6} aria-hidden />}
      data={LOCALES.map((value) => ({ value, label: LOCALE_LABELS[value] }))}
      value={i18n.language}
      onChange={(event) => void i18n.changeLanguage(event.currentTarget.value)}
    />
  );
}
