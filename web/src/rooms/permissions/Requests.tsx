import { Button, Group, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useUser } from '@/api/session';
import { OwnWord } from '@/shared/decisions/TakeBack';
import { MemberName } from '@/shared/network/MemberName';
import { PersonCell, PersonHandle } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { EmptyState } from '@/ui/EmptyState';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { ShortTable } from '@/ui/ShortTable';
import { toast } from '@/ui/toast';
import { When } from '@/ui/When';
import { decideGrant, freezeOf, type Grant, type Grants } from './permissions';
import { useWords } from './useWords';

const aboutRoles = ({ action }: Grant) => action === 'add' || action === 'remove';

/** The text of what an approval does. */
const consequenceOf = (grant: Grant) => {
  if (!aboutRoles(grant)) return 'changes';
  return grant.action === 'add' ? 'adds' : 'removes';
};

const doneBy = (grant: Grant, what: 'approve' | 'reject') => {
  if (what === 'reject') return 'rejected';
  return aboutRoles(grant) ? 'approved' : 'changed';
};

/** What waits for a second person's word, and what became of earlier requests. */
export function Requests({ grants }: { grants: Grants | undefined }) {
  const { t } = useTranslation('permissions');
  const { t: shell } = useTranslation('shell');
  const format = useFormat();
  const words = useWords();
  const me = useUser()?._id;
  const [asking, setAsking] = useState<{ what: 'approve' | 'reject'; grant: Grant } | null>(null);
  if (!grants) return <Skeleton h={180} />;
  if (grants.requests.length === 0)
    return <EmptyState title={t(($) => $.request.none)} hint={t(($) => $.request.noneHint)} />;
  const frozen = freezeOf(grants, me) !== undefined;
  const rolesOf = (grant: Grant) => grant.roles.map((name) => words.role(name)).join(', ');
  const whyNot = (grant: Grant): string | undefined => {
    if (frozen) return t(($) => $.freeze.you);
    if (grant.person._id === me) return t(($) => $.own);
    if (grant.askedBy._id === me) return t(($) => $.request.another);
    return undefined;
  };
  return (
    <>
      <ShortTable<Grant>
        label={t(($) => $.tabs.requests)}
        rows={grants.requests}
        rowKey={({ _id }) => _id}
        columns={[
          {
            key: 'person',
            label: t(($) => $.person),
            render: ({ person }) => <PersonCell person={person} />,
          },
          {
            key: 'what',
            label: t(($) => $.request.what),
            render: (grant) => (
              <div>
                <span>{t(($) => $.request[grant.action], { roles: rolesOf(grant) })}</span>
                {/* States and factors are said by what is asked; addresses are not. */}
                {grant.action === 'email' && (
                  <Text fz="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                    <span>{grant.before}</span> → <span>{grant.after}</span>
                  </Text>
                )}
                {grant.why && (
                  <Text fz="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                    {grant.why}
                  </Text>
                )}
              </div>
            ),
          },
          {
            key: 'by',
            label: t(($) => $.request.by),
            render: (grant) => (
              <div>
                <PersonHandle id={grant.askedBy._id} username={grant.askedBy.username} />
                <Text fz="xs" c="dimmed" component="div">
                  <When at={grant.askedAt} relative />
                </Text>
              </div>
            ),
          },
          {
            key: 'status',
            label: t(($) => $.status),
            render: (grant) => (
              <div>
                <StatusBadge status={grant.status} />
                <Text fz="xs" c="dimmed">
                  {grant.status === 'waiting' ? (
                    <span>{t(($) => $.request.oneOfTwo, { at: format.dateTime(grant.lastsUntil) })}</span>
                  ) : (
                    grant.decidedBy && <PersonHandle username={grant.decidedBy} />
                  )}
                  {grant.reason && <span>{`: ${grant.reason}`}</span>}
                </Text>
              </div>
            ),
          },
          {
            key: 'act',
            label: t(($) => $.act),
            render: (grant) =>
              grant.status === 'waiting' ? (
                <Group gap={6}>
                  {whyNot(grant) === undefined && (
                    <OwnWord subject={{ kind: 'admin_grant', id: grant._id }} />
                  )}
                  <GuardedButton
                    size="compact-sm"
                    allowed={whyNot(grant) === undefined}
                    reason={whyNot(grant)}
                    onClick={() => setAsking({ what: 'approve', grant })}
                  >
                    {t(($) => $.request.approve)}
                  </GuardedButton>
                  {!frozen && grant.person._id !== me && (
                    <Button
                      size="compact-sm"
                      variant="default"
                      onClick={() => setAsking({ what: 'reject', grant })}
                    >
                      {t(($) => $.request[grant.askedBy._id === me ? 'withdraw' : 'reject'])}
                    </Button>
                  )}
                </Group>
              ) : (
                '–'
              ),
          },
        ]}
      />
      {asking && (
        <ConfirmDialog
          opened
          onClose={() => setAsking(null)}
          title={t(($) => $.request[asking.what === 'approve' ? 'approveTitle' : 'rejectTitle'])}
          facts={[
            { label: t(($) => $.person), value: <MemberName username={asking.grant.person.username} /> },
            {
              label: t(($) => $.request.what),
              value: t(($) => $.request[asking.grant.action], { roles: rolesOf(asking.grant) }),
            },
            ...(asking.grant.action === 'email' && asking.grant.before
              ? [
                  { label: t(($) => $.request.before), value: asking.grant.before },
                  { label: t(($) => $.request.after), value: asking.grant.after ?? '' },
                ]
              : []),
            ...(asking.grant.why ? [{ label: t(($) => $.reason), value: asking.grant.why }] : []),
            { label: t(($) => $.request.by), value: <MemberName username={asking.grant.askedBy.username} /> },
          ]}
          {...(asking.what === 'approve'
            ? {
                consequence: t(($) => $.request[consequenceOf(asking.grant)], {
                  hours: grants.newApproverHours,
                }),
              }
            : { reason: { label: t(($) => $.reason), required: true } })}
          confirmLabel={t(($) => $.request[asking.what])}
          danger={asking.what === 'reject' || asking.grant.action !== 'add'}
          onConfirm={async ({ reason }) => {
            const { grant, what } = asking;
            const after = await decideGrant({
              id: grant._id,
              ...(what === 'approve' ? { what } : { what, reason }),
            });
            if (after.status === 'waiting') toast.info(shell(($) => $.word.half));
            else toast.success(t(($) => $.request[doneBy(grant, what)]));
          }}
        />
      )}
    </>
  );
}
