import { Box, Group, Menu, Text, UnstyledButton } from '@mantine/core';
import { IconDownload, IconLogout, IconSelector, IconSettings } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { isLook } from '@/api/look';
import { signOut, useUser } from '@/api/session';
import { install, useInstallOffer } from '@/shared/device/install';
import { PersonAvatar } from '@/shared/people/PersonAvatar';
import { useRoleName } from '@/shared/people/useRoleName';
import { LanguageMenu } from '@/ui/LanguageMenu';
import { SkinToggle } from '@/ui/SkinToggle';
import classes from './Shell.module.css';

export function UserMenu({ onNavigate }: { onNavigate: () => void }) {
  const { t } = useTranslation('shell');
  const user = useUser();
  const roleName = useRoleName();
  const installable = useInstallOffer(({ offer }) => offer !== null);
  // Whose account is looked at says the bar; its settings, and signing out, are the owner's.
  if (!user || isLook) return null;
  const strongest = user.roles[0];
  return (
    <Box className={classes.user}>
      <Group hiddenFrom="xs" justify="space-between" px={6} pb={6}>
        <LanguageMenu />
        <SkinToggle />
      </Group>
      <Menu position="top-start" width={232} shadow="md">
        <Menu.Target>
          <UnstyledButton
            className={classes.userButton}
            aria-label={t(($) => $.account.label, { name: user.fullName })}
          >
            <PersonAvatar person={user} />
            <Box flex={1} miw={0}>
              <Text fz={13} fw={600} truncate translate="no">
                {user.fullName}
              </Text>
              <Text fz={12} c="dimmed" truncate>
                {strongest && <span>{`${roleName(strongest.name)} · `}</span>}
                <span translate="no">@{user.username}</span>
              </Text>
            </Box>
            <IconSelector size={17} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            component={Link}
            to="/account-setting"
            leftSection={<IconSettings size={17} aria-hidden />}
            onClick={onNavigate}
          >
            {t(($) => $.account.settings)}
          </Menu.Item>
          {installable && (
            <Menu.Item leftSection={<IconDownload size={17} aria-hidden />} onClick={() => void install()}>
              {t(($) => $.account.install)}
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item leftSection={<IconLogout size={17} aria-hidden />} onClick={() => void signOut()}>
            {t(($) => $.account.signOut)}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Box>
  );
}
