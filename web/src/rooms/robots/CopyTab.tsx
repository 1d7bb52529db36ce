import { Alert, Button, Card, Group, List, Skeleton, Stack, Switch, Text, ThemeIcon } from '@mantine/core';
import { IconCheck, IconCopy, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import type { Licence } from '@/live/licences';
import { LimitGauge } from '@/shared/results/LimitGauge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { compare, isNegative } from '@/ui/money';
import { toast } from '@/ui/toast';
import { usePress } from '@/ui/usePress';
import { When } from '@/ui/When';
import { type Following, lead, unfollow, useFollowings } from './copying';

type Leading = Schemas['LeadingView'];

/** Copying another robot, and letting others copy this one. */
export function CopyTab({ robot }: { robot: Licence }) {
  const { t } = useTranslation('robots');
  const followings = useFollowings();
  const leading = $api.useQuery('get', '/trader/leading', { params: { query: { licence: robot._id } } });
  const error = followings.error ?? leading.error;
  if (error)
    return (
      <ErrorCard
        what={t(($) => $.copy.what)}
        error={error}
        onRetry={() => Promise.all([followings.refetch(), leading.refetch()])}
      />
    );
  if (!followings.data || !leading.data) return <Skeleton h={220} radius="md" />;
  // The newest first: what was before it no longer matters here.
  const following = followings.data.find((one) => one.licence === robot._id);
  return (
    <Stack gap="lg" maw={520}>
      <Follows robot={robot} following={following} />
      <Leads robot={robot} leading={leading.data} />
    </Stack>
  );
}

interface FollowsProps {
  robot: Licence;
  following: Following | undefined;
}

function Follows({ robot, following }: FollowsProps) {
  const { t } = useTranslation('robots');
  const [stopping, setStopping] = useState(false);
  if (following?.state !== 'active')
    return (
      <Stack gap="sm" align="start">
        {following && following.state !== 'ended' && (
          <Alert color="gold" variant="light" role="status" w="100%">
            {t(($) => $.copy.ended[following.state === 'loss' ? 'loss' : 'left'], { name: following.name })}
          </Alert>
        )}
        <Text fz="sm" c="dimmed">
          {t(($) => $.copy.hint)}
        </Text>
        {robot.state === 'active' && (
          <Button
            variant="light"
            component={Link}
            to="/robots-in-operation?tab=leaders"
            leftSection={<IconCopy size={16} aria-hidden />}
          >
            {t(($) => $.copy.choose)}
          </Button>
        )}
      </Stack>
    );
  const lost = isNegative(following.net) ? following.net.slice(1) : '0';
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap" align="start">
          <div>
            <Text fw={600}>{t(($) => $.copy.copying, { name: following.name })}</Text>
            <Text fz="xs" c="dimmed" component="div">
              <span>{t(($) => $.copy.since)}</span> <When at={following.since} />
            </Text>
          </div>
          <Money value={following.net} digits={4} sign />
        </Group>
        <LimitGauge label={t(($) => $.copy.maximumLoss)} used={lost} max={following.maximumLoss} />
        <Group justify="flex-end">
          <Button variant="default" size="xs" onClick={() => setStopping(true)}>
            {t(($) => $.copy.stop)}
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={stopping}
        onClose={() => setStopping(false)}
        title={t(($) => $.copy.stopTitle)}
        consequence={t(($) => $.copy.stopConsequence, { number: robot.number })}
        confirmLabel={t(($) => $.copy.stop)}
        onConfirm={async () => {
          await unfollow({ licence: robot._id });
          toast.success(t(($) => $.copy.stopped));
        }}
      />
    </Card>
  );
}

/** Whether others may copy this robot, and what is still wanting for it. */
function Leads({ robot, leading }: { robot: Licence; leading: Leading }) {
  const { t } = useTranslation('robots');
  const { count, usdt } = useFormat();
  const [closing, setClosing] = useState(false);
  const turn = async (open: boolean) => {
    await lead({ licence: robot._id, open });
    toast.success(t(($) => (open ? $.copy.opened : $.copy.closed)));
  };
  const { run } = usePress(turn);
  const wanted: [boolean, string][] = [
    [
      leading.days >= leading.neededDays,
      t(($) => $.copy.days, { days: count(leading.days), needed: count(leading.neededDays) }),
    ],
    [
      leading.operations >= leading.neededOperations,
      t(($) => $.copy.operations, {
        operations: count(leading.operations),
        needed: count(leading.neededOperations),
      }),
    ],
    [
      compare(leading.allocated, leading.median) >= 0,
      t(($) => $.copy.median, { allocated: usdt(leading.allocated), median: usdt(leading.median) }),
    ],
  ];
  if (leading.missing.includes('leader.follows')) wanted.push([false, t(($) => $.copy.follows)]);
  if (leading.missing.includes('leader.manual_key')) wanted.push([false, t(($) => $.copy.manualKey)]);
  return (
    <Stack gap="sm">
      <Switch
        label={t(($) => $.copy.open)}
        description={
          leading.open && leading.followers > 0
            ? t(($) => $.copy.followers, { count: leading.followers, number: count(leading.followers) })
            : t(($) => $.copy.openHint)
        }
        checked={leading.open}
        disabled={!leading.open && !leading.eligible}
        onChange={(event) => {
          if (!event.currentTarget.checked && leading.followers > 0) setClosing(true);
          else void run(event.currentTarget.checked);
        }}
      />
      {!leading.open && !leading.eligible && (
        <List fz="sm" spacing={6} aria-label={t(($) => $.copy.wanted)}>
          {wanted.map(([done, text]) => (
            <List.Item
              key={text}
              icon={
                <ThemeIcon size={18} radius="xl" variant="light" color={done ? 'mint' : 'gray'}>
                  {done ? <IconCheck size={12} aria-hidden /> : <IconX size={12} aria-hidden />}
                </ThemeIcon>
              }
            >
              {text}
            </List.Item>
          ))}
        </List>
      )}
      <ConfirmDialog
        opened={closing}
        onClose={() => setClosing(false)}
        title={t(($) => $.copy.closeTitle)}
        consequence={t(($) => $.copy.closeConsequence, {
          count: leading.followers,
          number: count(leading.followers),
        })}
        confirmLabel={t(($) => $.copy.close)}
        danger
        onConfirm={() => turn(false)}
      />
    </Stack>
  );
}
