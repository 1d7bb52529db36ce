import '@mantine/spotlight/styles.layer.css';
import { Button, Kbd } from '@mantine/core';
import { openSpotlight, Spotlight } from '@mantine/spotlight';
import { IconSearch, IconSettings } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { isLook } from '@/api/look';
import { useSession } from '@/api/session';
import { menuFor } from './menu';
import classes from './Shell.module.css';

/** Ctrl K: every screen that this user may see, by name or by group; what a look refuses is not found in it. */
export function SearchPalette() {
  const { t } = useTranslation('shell');
  const navigate = useNavigate();
  const ability = useSession((state) => state.ability);
  const actions = menuFor((subject) => ability?.can('read', subject) ?? false).flatMap((group) =>
    group.entries.map((entry) => ({
      id: entry.to,
      label: t(($) => $.menu.entries[entry.text]),
      description: t(($) => $.menu.groups[group.text]),
      keywords: [t(($) => $.menu.groups[group.text]), entry.to],
      leftSection: <entry.icon size={19} stroke={1.6} aria-hidden />,
      onClick: () => void navigate(entry.to),
    })),
  );
  const settings = {
    id: '/account-setting',
    label: t(($) => $.account.settings),
    description: t(($) => $.search.account),
    keywords: [t(($) => $.search.accountWords)],
    leftSection: <IconSettings size={19} stroke={1.6} aria-hidden />,
    onClick: () => void navigate('/account-setting'),
  };
  return (
    <Spotlight
      shortcut={['mod + K']}
      attributes={{ content: { 'aria-label': t(($) => $.search.placeholder) } }}
      nothingFound={t(($) => $.search.nothing)}
      searchProps={{
        placeholder: t(($) => $.search.placeholder),
        'aria-label': t(($) => $.search.placeholder),
        leftSection: <IconSearch size={18} stroke={1.7} aria-hidden />,
      }}
      actions={isLook ? actions : [...actions, settings]}
      highlightQuery
      classNames={{ actionDescription: classes.found ?? '' }}
      scrollable
      maxHeight={420}
    />
  );
}

SearchPalette.Opener = function Opener({ fullWidth = false }: { fullWidth?: boolean }) {
  const { t } = useTranslation('shell');
  return (
    <Button
      variant="default"
      className={fullWidth ? undefined : classes.search}
      fullWidth={fullWidth}
      justify="space-between"
      c="dimmed"
      fw={400}
      leftSection={<IconSearch size={16} stroke={1.8} aria-hidden />}
      rightSection={<Kbd size="xs">Ctrl K</Kbd>}
      styles={{ label: { marginRight: 'auto' } }}
      onClick={openSpotlight}
    >
      {t(($) => $.search.open)}
    </Button>
  );
};
