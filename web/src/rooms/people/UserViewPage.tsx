import { Alert, Button, Card, Group, Skeleton, Stack, Text } from '@mantine/core';
import {
  IconEye,
  IconMailForward,
  IconPencil,
  IconUserCheck,
  IconUserOff,
  IconUsers,
} from '@tabler/icons-react';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router';
import type { Permission } from '@/api/ability';
import { $api } from '@/api/hooks';
import { QUEUES } from '@/api/queues';
import { mayRead, useCan, useUser } from '@/api/session';
import { useMemberName } from '@/shared/network/useMemberName';
import { Finances, Movements } from '@/shared/people/Finances';
import { PersonAvatar } from '@/shared/people/PersonAvatar';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { GuardedButton } from '@/ui/GuardedButton';
import { PageHeader } from '@/ui/PageHeader';
import { ScreenTabs } from '@/ui/ScreenTabs';
import { toast } from '@/ui/toast';
import { usePress } from '@/ui/usePress';
import { useTableQuery } from '@/ui/useTableQuery';
import { Licences } from './Licences';
import { Logs } from './Logs';
import { LookDialog } from './LookDialog';
import { NetworkOf } from './NetworkOf';
import { Notes } from './Notes';
import { editPath } from './PersonMenu';
import { inviteAgain, PERSON, type Person } from './people';
import { RelatedOf } from './RelatedOf';
import { Sessions } from './Sessions';
import { States } from './States';
import { StatusDialog } from './StatusDialog';
import { Summary } from './Summary';
import { Tickets } from './Tickets';
import { Unknown } from './Unknown';
import { useDecides } from './useDecides';

/** The tabs in their order, each with what it takes to see it: what somebody may not see is not there. */
const TABS = [
  ['summary', 'customer-service_user-view'],
  ['finances', 'admin_permissions'],
  ['licences', 'admin_permissions'],
  ['network', 'customer-service_user-view'],
  ['movements', 'admin_permissions'],
  ['tickets', 'customer-service_list-tickets'],
  ['sessions', 'admin_permissions'],
  ['related', 'admin_permissions'],
  ['logs', 'admin_permissions'],
  ['notes', 'customer-service_user-view'],
] as const satisfies readonly (readonly [string, Permission])[];
type Tab = (typeof TABS)[number][0];

/** /administrator/users/view/:id: everything that is known of a person. */
export default function UserViewPage() {
  const { t } = useTranslation('people');
  const { id = '' } = useParams();
  const own = useUser()?._id === id;
  const table = useTableQuery({ filters: ['tab'] });
  const answer = $api.useQuery('get', PERSON, { params: { path: { id } } }, { retry: false });
  const person = answer.data;
  if (answer.error && !person) return <Unknown id={id} error={answer.error} onRetry={answer.refetch} />;
  // Nobody reads what is written about themself.
  const tabs = TABS.filter(([name, needs]) => mayRead(needs) && !(own && name === 'notes')).map(
    ([name]) => name,
  );
  const tab = tabs.find((name) => name === table.filters.tab) ?? 'summary';
  return (
    <Stack gap="lg">
      {person ? (
        <Head person={person} />
      ) : (
        <Stack role="status" aria-label={t(($) => $.view.what)}>
          <Skeleton h={56} w={320} />
          <Skeleton h={70} radius="lg" />
        </Stack>
      )}
      <ScreenTabs
        label={t(($) => $.view.tabs)}
        tabs={tabs.map((name) => ({ name, text: t(($) => $.tabs[name]) }))}
        shown={tab}
        onShow={(next) => table.setFilter('tab', next === 'summary' ? null : next)}
      >
        {person ? <Shown key={tab} tab={tab} person={person} /> : <Skeleton h={320} radius="lg" />}
      </ScreenTabs>
    </Stack>
  );
}

function Shown({ tab, person }: { tab: Tab; person: Person }): ReactNode {
  const { _id: id } = person;
  switch (tab) {
    case 'summary':
      return <Summary person={person} />;
    case 'finances':
      return (
        <Card>
          <Finances id={id} heading={2} />
        </Card>
      );
    case 'licences':
      return <Licences id={id} />;
    case 'network':
      return <NetworkOf id={id} />;
    case 'movements':
      return (
        <Card>
          <Movements id={id} />
        </Card>
      );
    case 'tickets':
      return <Tickets id={id} />;
    case 'sessions':
      return <Sessions person={person} />;
    case 'related':
      return <RelatedOf id={id} />;
    case 'logs':
      return <Logs id={id} />;
    case 'notes':
      return <Notes id={id} />;
  }
}

function Head({ person }: { person: Person }) {
  const { t } = useTranslation('people');
  const nameOf = useMemberName();
  const two = useDecides()(person.roles.map(({ name }) => name));
  const [switching, setSwitching] = useState(false);
  const looks = useCan('admin_permissions');
  const [looking, setLooking] = useState(false);
  const looker = useRef<HTMLButtonElement>(null);
  const again = usePress(inviteAgain, () => toast.success(t(($) => $.invite.again)));
  const off = person.status === 'active';
  return (
    <>
      <PageHeader
        title={person.fullName}
        subtitle={`@${person.username} · ${person.email}`}
        action={
          person.editable && (
            <Group gap="xs">
              {person.invited && (
                <Button
                  variant="default"
                  loading={again.busy}
                  leftSection={<IconMailForward size={16} aria-hidden />}
                  onClick={() => void again.run(person._id)}
                >
                  {t(($) => $.actions.inviteAgain)}
                </Button>
              )}
              {looks && (
                <Button
                  ref={looker}
                  variant="default"
                  leftSection={<IconEye size={16} aria-hidden />}
                  onClick={() => setLooking(true)}
                >
                  {t(($) => $.look.action)}
                </Button>
              )}
              <GuardedButton
                variant="default"
                {...(off && { color: 'red' })}
                allowed={!person.request}
                reason={t(($) => $.two.waits)}
                leftSection={
                  off ? <IconUserOff size={16} aria-hidden /> : <IconUserCheck size={16} aria-hidden />
                }
                onClick={() => setSwitching(true)}
              >
                {t(($) => $.status[off ? 'deactivate' : 'activate'].action)}
              </GuardedButton>
              <Button
                component={Link}
                to={editPath(person._id)}
                leftSection={<IconPencil size={16} aria-hidden />}
              >
                {t(($) => $.actions.edit)}
              </Button>
            </Group>
          )
        }
      />
      <Card py="md">
        <Group gap="md" wrap="nowrap" align="center">
          <PersonAvatar person={person} size={56} />
          <Stack gap={8} style={{ minWidth: 0 }}>
            <Group gap={8}>
              <StatusBadge status={person.status} />
              <States person={person} />
            </Group>
            {person.closingReason && (
              <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {t(($) => $.status.because, { reason: person.closingReason })}
              </Text>
            )}
            {person.statusReason && person.status === 'inactive' && (
              <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                <span>{t(($) => $.status.because, { reason: person.statusReason })}</span>
                {person.statusBy && <span>{` (${nameOf(person.statusBy.username)})`}</span>}
              </Text>
            )}
          </Stack>
        </Group>
      </Card>
      {person.request && (
        <Alert color="gold" variant="light" role="status" icon={<IconUsers size={18} aria-hidden />}>
          <Group justify="space-between" gap="sm">
            <span>{t(($) => $.two.waits)}</span>
            <Button component={Link} to={QUEUES.grants.screen} variant="default" size="compact-sm">
              {t(($) => $.two.queue)}
            </Button>
          </Group>
        </Alert>
      )}
      {looking && (
        <LookDialog
          person={person}
          onClose={() => {
            setLooking(false);
            looker.current?.focus();
          }}
        />
      )}
      {switching && <StatusDialog person={person} two={two} onClose={() => setSwitching(false)} />}
    </>
  );
}
