import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { IconSnowflake } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useUser } from '@/api/session';
import { TakeBack } from '@/shared/decisions/TakeBack';
import { MemberName } from '@/shared/network/MemberName';
import { PersonCell, PersonHandle } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { EmptyState } from '@/ui/EmptyState';
import { GuardedButton } from '@/ui/GuardedButton';
import { ShortTable } from '@/ui/ShortTable';
import { toast } from '@/ui/toast';
import { When } from '@/ui/When';
import { type Freeze, freezeOf, type Grants, liftFreeze } from './permissions';

/** Whose decisions stand still, and how that ends. */
export function Freezes({ grants }: { grants: Grants | undefined }) {
  const { t } = useTranslation('permissions');
  const me = useUser()?._id;
  const [lifting, setLifting] = useState<Freeze | null>(null);
  if (!grants) return <Skeleton h={180} />;
  const stands = grants.freezes.some(({ endedAt }) => !endedAt);
  const mine = freezeOf(grants, me);
  const whyNot = mine ? t(($) => $.freeze.you) : undefined;
  return (
    <Stack gap="md">
      {stands && (
        <Alert color="gold" variant="light" role="status" icon={<IconSnowflake size={18} aria-hidden />}>
          {grants.lifters < 2
            ? t(($) => $.freeze.onlyConsole)
            : t(($) => $.freeze.ends, { count: grants.lifters })}
        </Alert>
      )}
      {grants.freezes.length === 0 ? (
        <EmptyState title={t(($) => $.freeze.none)} hint={t(($) => $.freeze.noneHint)} />
      ) : (
        <ShortTable<Freeze>
          label={t(($) => $.tabs.freezes)}
          rows={grants.freezes}
          rowKey={({ _id }) => _id}
          columns={[
            {
              key: 'frozen',
              label: t(($) => $.freeze.frozen),
              render: ({ frozen }) => <PersonCell person={frozen} />,
            },
            {
              key: 'by',
              label: t(($) => $.freeze.by),
              render: ({ frozenBy, at }) => (
                <div>
                  <PersonHandle id={frozenBy._id} username={frozenBy.username} />
                  <Text fz="xs" c="dimmed" component="div">
                    <When at={at} relative />
                  </Text>
                </div>
              ),
            },
            {
              key: 'reason',
              label: t(($) => $.reason),
              render: ({ reason }) => (
                <Text fz="sm" maw={320} style={{ overflowWrap: 'anywhere' }}>
                  {reason}
                </Text>
              ),
            },
            {
              key: 'status',
              label: t(($) => $.status),
              render: (freeze) => (
                <div>
                  <StatusBadge status={freeze.endedAt ? 'closed' : 'active'} />
                  <Text fz="xs" c="dimmed">
                    <Lifting freeze={freeze} />
                  </Text>
                </div>
              ),
            },
            {
              key: 'act',
              label: t(($) => $.act),
              render: (freeze) =>
                freeze.endedAt ? (
                  <When at={freeze.endedAt} />
                ) : freeze.liftAskedBy?._id === me ? (
                  <TakeBack kind="admin_grant" id={freeze._id} />
                ) : (
                  <GuardedButton
                    size="compact-sm"
                    variant="default"
                    allowed={whyNot === undefined}
                    reason={whyNot}
                    onClick={() => setLifting(freeze)}
                  >
                    {t(($) => $.freeze.lift)}
                  </GuardedButton>
                ),
            },
          ]}
        />
      )}
      {lifting && (
        <ConfirmDialog
          opened
          onClose={() => setLifting(null)}
          title={t(($) => $.freeze.liftTitle)}
          facts={[
            { label: t(($) => $.freeze.frozen), value: <MemberName username={lifting.frozen.username} /> },
            { label: t(($) => $.freeze.by), value: <MemberName username={lifting.frozenBy.username} /> },
            { label: t(($) => $.reason), value: lifting.reason },
          ]}
          consequence={
            lifting.liftAskedBy
              ? t(($) => $.freeze.liftSecond, { name: lifting.liftAskedBy.username })
              : t(($) => $.freeze.liftFirst)
          }
          confirmLabel={t(($) => $.freeze.lift)}
          onConfirm={async () => {
            const after = await liftFreeze(lifting._id);
            toast.success(t(($) => $.freeze[after.endedAt ? 'lifted' : 'half']));
          }}
        />
      )}
    </Stack>
  );
}

/** Who ends it, or has ended it. */
function Lifting({ freeze }: { freeze: Freeze }) {
  const { t } = useTranslation('permissions');
  if (freeze.endedAt && freeze.endedHow === 'console') return <span>{t(($) => $.freeze.console)}</span>;
  const { liftAskedBy, liftedBy } = freeze;
  return (
    <>
      {!freeze.endedAt && liftAskedBy && <span>{t(($) => $.freeze.oneOfTwo)}</span>}{' '}
      {liftAskedBy && <PersonHandle id={liftAskedBy._id} username={liftAskedBy.username} />}
      {freeze.endedAt && liftedBy && (
        <>
          {', '}
          <PersonHandle username={liftedBy} />
        </>
      )}
    </>
  );
}
