import { ActionIcon, Box, Burger, Button, Group } from '@mantine/core';
import { IconEye, IconEyeOff, IconPlus, IconRubberStamp } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useConfig } from '@/api/config';
import { isLook } from '@/api/look';
import { QUEUES } from '@/api/queues';
import { useCan } from '@/api/session';
import { useWaiting } from '@/live/waiting';
import { LanguageMenu } from '@/ui/LanguageMenu';
import { LiveBadge } from '@/ui/LiveBadge';
import { usePrefs } from '@/ui/prefs';
import { SkinToggle } from '@/ui/SkinToggle';
import { NotificationBell } from './NotificationPanel';
import { SearchPalette } from './SearchPalette';
import classes from './Shell.module.css';

export function Header({ menuOpened, onMenu }: { menuOpened: boolean; onMenu: () => void }) {
  const { t } = useTranslation('shell');
  const demo = useConfig((state) => state.config?.world === 'demo');
  return (
    <Group h="100%" px={{ base: 'md', md: 'xl' }} justify="space-between" wrap="nowrap" gap="xs">
      <Group gap="sm" wrap="nowrap">
        <Burger
          opened={menuOpened}
          onClick={onMenu}
          hiddenFrom="md"
          size="sm"
          aria-label={t(($) => $.menu.open)}
          aria-expanded={menuOpened}
        />
        <Box visibleFrom="sm">
          <SearchPalette.Opener />
        </Box>
        {demo && (
          <span className={classes.ribbon} title={t(($) => $.demo.hint)}>
            {t(($) => $.demo.label)}
          </span>
        )}
      </Group>
      <Group gap={6} wrap="nowrap">
        <Group visibleFrom="lg" mr={4}>
          <LiveBadge />
        </Group>
        <Box visibleFrom="xs">
          <LanguageMenu />
        </Box>
        <Box visibleFrom="xs">
          <SkinToggle />
        </Box>
        <MaskToggle />
        {!isLook && (
          <>
            <NotificationBell />
            <PrimaryAction />
          </>
        )}
      </Group>
    </Group>
  );
}

/** The eye: hides amounts from who looks over one's shoulder. */
function MaskToggle() {
  const { t } = useTranslation('shell');
  const masked = usePrefs((prefs) => prefs.masked);
  const setMasked = usePrefs((prefs) => prefs.setMasked);
  const Icon = masked ? IconEyeOff : IconEye;
  return (
    <ActionIcon
      size="lg"
      onClick={() => setMasked(!masked)}
      aria-pressed={masked}
      aria-label={t(($) => $.header.mask)}
    >
      <Icon size={20} stroke={1.6} aria-hidden />
    </ActionIcon>
  );
}

/** Deposit; for who approves, all that waits for them, and the way to the first queue that has something. */
function PrimaryAction() {
  const { t } = useTranslation('shell');
  const approver = useCan('admin_permissions');
  const queues = useWaiting();
  const waits = queues.reduce((sum, { mine }) => sum + mine, 0);
  const queue = queues.find(({ mine }) => mine > 0)?.to ?? QUEUES.pixDeposits.screen;
  const [to, label, Icon] = approver
    ? ([queue, t(($) => $.header.approve, { count: waits }), IconRubberStamp] as const)
    : (['/wallet/my-deposits-pix', t(($) => $.header.deposit), IconPlus] as const);
  return (
    <Button
      ml={6}
      component={Link}
      to={to}
      leftSection={<Icon size={16} stroke={2.2} aria-hidden />}
      size="sm"
    >
      {label}
    </Button>
  );
}
