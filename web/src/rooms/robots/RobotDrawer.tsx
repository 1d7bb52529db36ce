import { Alert, Drawer, Group, Stack, Switch, Tabs, TextInput, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { configure, type Licence, useLicences } from '@/live/licences';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { tidy } from '@/ui/money';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { CopyTab } from './CopyTab';
import { ManualTab } from './ManualTab';
import { Orders } from './Orders';

export type DrawerTab = 'orders' | 'manual' | 'copy' | 'settings';

interface RobotDrawerProps {
  id: string | null;
  /** Shown first. */
  tab?: DrawerTab;
  onClose: () => void;
}

/** A robot's operations, one's own hand, copying, and settings. */
export function RobotDrawer({ id, tab = 'orders', onClose }: RobotDrawerProps) {
  const { t } = useTranslation('robots');
  const { t: common } = useTranslation();
  const robot = useLicences((book) => (id === null ? undefined : book.byId[id]));
  return (
    <Drawer
      opened={robot !== undefined}
      onClose={onClose}
      position="right"
      size="min(860px, 100%)"
      title={
        robot && (
          <Group gap="sm">
            <Title order={2} fz={18}>
              {t(($) => $.name, { number: robot.number })}
            </Title>
            <StatusBadge status={robot.robotStatus} />
          </Group>
        )
      }
      closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
    >
      {robot && (
        <Tabs key={robot._id} defaultValue={tab} keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="orders">{t(($) => $.orders.title)}</Tabs.Tab>
            <Tabs.Tab value="manual">{t(($) => $.manual.title)}</Tabs.Tab>
            <Tabs.Tab value="copy">{t(($) => $.copy.title)}</Tabs.Tab>
            <Tabs.Tab value="settings">{t(($) => $.settings.title)}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="orders">
            <Orders robot={robot._id} />
          </Tabs.Panel>
          <Tabs.Panel value="manual">
            <ManualTab robot={robot} />
          </Tabs.Panel>
          <Tabs.Panel value="copy">
            <CopyTab robot={robot} />
          </Tabs.Panel>
          <Tabs.Panel value="settings">
            <Settings key={robot._id} robot={robot} />
          </Tabs.Panel>
        </Tabs>
      )}
    </Drawer>
  );
}

function Settings({ robot }: { robot: Licence }) {
  const { t } = useTranslation('robots');
  const errorText = useErrorText();
  const { exact } = useFormat();
  const bounds = $api.useQuery('get', '/trader/search-config-robot-trader', {
    params: { query: { licence: robot._id } },
  });
  const [goal, setGoal] = useState(robot.dailyGainGoal);
  const { busy, failure, run } = useSubmit(
    (what: { paused?: boolean; dailyGainGoal?: string }) => configure({ licence: robot._id, ...what }),
    () => toast.success(t(($) => $.settings.saved)),
  );
  const active = robot.state === 'active';
  useEffect(() => setGoal(robot.dailyGainGoal), [robot.dailyGainGoal]);

  return (
    <Stack gap="lg" maw={420}>
      <Switch
        label={t(($) => $.settings.pause)}
        description={t(($) => $.settings.pauseHint)}
        checked={robot.paused}
        disabled={busy || !active}
        onChange={(event) => void run({ paused: event.currentTarget.checked })}
      />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run({ dailyGainGoal: goal.trim().replace(',', '.') });
        }}
      >
        <Group align="end" gap="sm">
          <TextInput
            label={t(($) => $.settings.goal)}
            description={
              // A line from the first, so that nothing jumps.
              bounds.data
                ? t(($) => $.settings.goalHint, {
                    minimum: exact(tidy(bounds.data.minimumGoal)),
                    maximum: exact(tidy(bounds.data.maximumGoal)),
                  })
                : '\u00a0'
            }
            value={goal}
            onChange={(event) => setGoal(event.currentTarget.value)}
            inputMode="decimal"
            rightSection="%"
            style={{ flex: 1 }}
          />
          <GuardedButton
            type="submit"
            allowed={!busy && active}
            reason={active ? undefined : t(($) => $.manual.refusals.state)}
            loading={busy}
          >
            {t(($) => $.settings.save)}
          </GuardedButton>
        </Group>
      </form>
      {failure && (
        <Alert color="red" variant="light" role="alert">
          {errorText(failure.error)}
        </Alert>
      )}
    </Stack>
  );
}
