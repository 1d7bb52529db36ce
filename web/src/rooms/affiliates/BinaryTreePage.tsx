import {
  ActionIcon,
  Alert,
  Button,
  Card,
  Drawer,
  Group,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowUp, IconBinaryTree, IconHome, IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { asApiError } from '@/api/problem';
import { queryClient } from '@/api/queryClient';
import { useUser } from '@/api/session';
import { useMemberName } from '@/shared/network/useMemberName';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { PageHeader } from '@/ui/PageHeader';
import { useSubmit } from '@/ui/useSubmit';
import { InviteLink } from './InviteLink';
import { LegSwitch } from './LegSwitch';
import { MemberCard } from './MemberCard';
import { treeOptions } from './network';
import { TreeList } from './TreeList';
import { nextPlace } from './tree';
import { useRise } from './useRise';
import { FIRST_LEVELS, useTeam } from './useTeam';
import { WayBar } from './WayBar';

/** The drawing library is large: the list does without it. */
const TreeCanvas = lazy(() => import('./TreeCanvas'));
const ME = 'me';

/** /affiliate-network/binary-tree: who stands where. */
export default function BinaryTreePage() {
  const { t } = useTranslation('affiliates');
  const { date } = useFormat();
  const name = useMemberName();
  const phone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const user = useUser();
  const [search, setSearch] = useSearchParams();
  const at = search.get('at') ?? ME;
  const asList = (search.get('view') ?? (phone ? 'list' : 'tree')) === 'list';
  const show = (name: 'at' | 'view', value: string | null) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === null) next.delete(name);
        else next.set(name, value);
        return next;
      },
      // Another topmost member is a place to come back from; how it is drawn is not.
      { replace: name === 'view', preventScrollReset: true },
    );
  const found = useTeam(at);
  const { team, first, reveal, loading } = found;
  const [picked, setPicked] = useState<string | null>(null);
  const [opened, setOpened] = useState(false);
  const rise = useRise(team, `${at} ${first?.closedDay ?? ''}`);
  const me = first?.me ?? user?._id ?? '';
  const chosen = team?.byId.get(picked ?? '') ?? team?.byId.get(team.top);
  const go = (to: string) => {
    setPicked(null);
    setOpened(false);
    show('at', to === me ? null : to);
  };
  const choose = (id: string) => {
    setPicked(id);
    setOpened(true);
  };
  const card = chosen && (
    <MemberCard
      key={chosen.node._id}
      member={chosen}
      me={me}
      top={team?.top ?? ''}
      loading={loading.has(chosen.node._id)}
      named={phone}
      onReveal={() => reveal(chosen.node._id)}
      onTop={() => go(chosen.node._id)}
    />
  );
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.tree.title)}
        subtitle={[
          first?.closedDay
            ? t(($) => $.tree.asOf, { day: date(first.closedDay) })
            : t(($) => $.tree.subtitle),
          t(($) => $.tree.renewed),
        ].join(' · ')}
        action={<InviteLink />}
      />
      <Group justify="space-between" align="end" gap="md">
        {first && <LegSwitch leg={first.selectedLeg} />}
        <FindMember onFound={go} />
      </Group>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Button
            variant="default"
            size="xs"
            mih={{ base: 44, sm: 30 }}
            leftSection={<IconArrowUp size={16} aria-hidden />}
            disabled={!first?.up}
            onClick={() => first?.up && go(first.up)}
          >
            {t(($) => $.tree.up)}
          </Button>
          <ActionIcon
            variant="default"
            size={phone ? 44 : 30}
            aria-label={t(($) => $.tree.home)}
            disabled={at === ME}
            onClick={() => go(me)}
          >
            <IconHome size={17} aria-hidden />
          </ActionIcon>
        </Group>
        <SegmentedControl
          size={phone ? 'sm' : 'xs'}
          aria-label={t(($) => $.tree.view)}
          value={asList ? 'list' : 'tree'}
          onChange={(next) => show('view', next)}
          data={[
            { value: 'tree', label: t(($) => $.tree.asTree) },
            { value: 'list', label: t(($) => $.tree.asList) },
          ]}
        />
      </Group>
      {first && <WayBar way={first.way} onGo={(name) => go(name ?? me)} />}
      {found.failed && (
        <ErrorCard
          what={t(($) => $.tree.whatBelow)}
          error={found.failed.error}
          onRetry={found.failed.refetch}
        />
      )}
      {found.error ? (
        <ErrorCard what={t(($) => $.tree.what)} error={found.error} onRetry={found.refetch} />
      ) : !first ? (
        <Skeleton h={460} radius="lg" />
      ) : !team ? (
        <Card>
          <EmptyState
            icon={<IconBinaryTree size={26} stroke={1.5} />}
            title={t(($) => $.tree.waiting)}
            hint={t(($) => $.tree.waitingHint)}
          />
        </Card>
      ) : (
        <>
          {team.byId.size === 1 && at === ME && (
            <Alert color="mint" variant="light" title={t(($) => $.tree.empty)}>
              {t(($) => $.tree.emptyHint)}
            </Alert>
          )}
          <Card p={0}>
            {asList ? (
              <TreeList
                team={team}
                me={me}
                chosen={chosen?.node._id ?? null}
                rise={rise}
                loading={loading}
                onChoose={choose}
                onReveal={reveal}
              />
            ) : (
              <Suspense fallback={<Skeleton h={520} radius="lg" />}>
                <TreeCanvas
                  team={team}
                  me={me}
                  next={nextPlace(team, me, first.selectedLeg)}
                  chosen={chosen?.node._id ?? team.top}
                  rise={rise}
                  loading={loading}
                  onChoose={choose}
                  onReveal={reveal}
                />
              </Suspense>
            )}
          </Card>
          {!phone && <Card>{card}</Card>}
          {phone && (
            <Drawer
              opened={opened}
              onClose={() => setOpened(false)}
              position="bottom"
              size="auto"
              title={chosen ? name(chosen.node.username) : ''}
            >
              {card}
            </Drawer>
          )}
          <Text fz="sm" c="dimmed" visibleFrom="sm">
            {t(($) => $.tree.keys)}
          </Text>
        </>
      )}
    </Stack>
  );
}

/** Somebody below by the username; others are not found, whether they exist or not. */
function FindMember({ onFound }: { onFound: (id: string) => void }) {
  const { t } = useTranslation('affiliates');
  const [name, setName] = useState('');
  const { run, busy, failure, changed } = useSubmit(
    (who: string) => queryClient.fetchQuery({ ...treeOptions(who, FIRST_LEVELS), retry: false }),
    (tree) => {
      const top = tree.nodes[0]?._id;
      if (top === undefined) return;
      setName('');
      onFound(top);
    },
  );
  const error = failure && asApiError(failure.error);
  const who = name.trim().replace(/^@/, '');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (who !== '') void run(who);
      }}
    >
      <Group gap="xs" align="start" wrap="nowrap">
        <TextInput
          aria-label={t(($) => $.tree.find)}
          placeholder={t(($) => $.tree.find)}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
            changed();
          }}
          error={error ? (error.status === 404 ? t(($) => $.tree.nobody) : error.message) : undefined}
          leftSection={<IconSearch size={16} aria-hidden />}
          autoComplete="off"
          spellCheck={false}
          maxLength={64}
          data-filter-search
          w={{ base: 220, xs: 260 }}
        />
        <Button type="submit" variant="default" loading={busy}>
          {t(($) => $.tree.findAction)}
        </Button>
      </Group>
    </form>
  );
}
