import { Button, Menu } from '@mantine/core';
import { IconCheck, IconLanguage } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LOCALE_LABELS, LOCALES } from '@/i18n/locales';

export function LanguageMenu() {
  const { t, i18n } = useTranslation();
  return (
    <Menu position="bottom-end" width={180} shadow="md">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="sm"
          px={9}
          leftSection={<IconLanguage size={19} stroke={1.6} aria-hidden />}
          aria-label={t(($) => $.language.label, { code: i18n.language.toUpperCase() })}
        >
          {i18n.language.toUpperCase()}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {LOCALES.map((locale) => (
          <Menu.Item
            key={locale}
            lang={locale}
            aria-current={i18n.language === locale || undefined}
            onClick={() => void i18n.changeLanguage(locale)}
            rightSection={i18n.language === locale ? <IconCheck size={15} aria-hidden /> : null}
          >
            {LOCALE_LABELS[locale]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
