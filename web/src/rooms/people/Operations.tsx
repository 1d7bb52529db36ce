import { Badge, Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { useUser } from '@/api/session';
import { ApprovalEffect } from '@/shared/decisions/ApprovalEffect';
import { TakeBack } from '@/shared/decisions/TakeBack';
import { MemberName } from '@/shared/network/MemberName';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { toast } from '@/ui/toast';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { OPERATIONS, type Operation, reverseResult } from './people';

interface OperationsProps {
  /** Whose robot it is. */
  person: string;
  licence: Schemas['LicenceView'] | null;
  onClose: () => void;
}

/** A robot's operations as staff see them; a wrong result is taken back here, by two. */
export function Operations({ person, licence, onClose }: OperationsProps) {
  const { t } = useTranslation('people');
  const { t: common } = useTranslation();
  return (
    <Drawer
      opened={licence !== null}
      onClose={onClose}
      position="right"
      size="min(960px, 100%)"
      title={
        licence && (
          <Title order={2} fz={18}>
            {t(($) => $.operations.title, { number: licence.number })}
          </Title>
        )
      }
      closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
    >
      {licence && <Listed key={licence._id} person={person} licence={licence} />}
    </Drawer>
  );
}

function Listed({ person, licence }: { person: string; licence: Schemas['LicenceView'] }) {
  const { t } = useTranslation('people');
  const format = useFormat();
  const me = useUser();
  const [chosen, setChosen] = useState<Operation | null>(null);
  const list = useList(OPERATIONS, { path: { robotId: licence._id }, prefix: 'o-' });
  const columns: Column<Operation>[] = [
    {
      key: 'date',
      label: t(($) => $.operations.date),
      sort: 'created_at',
      fixed: true,
      render: (row) => <When at={row.created_at} />,
    },
    {
      key: 'route',
      label: t(($) => $.operations.route),
      render: (row) => <Text fz="sm">{row.route}</Text>,
    },
    {
      key: 'result',
      label: t(($) => $.operations.result),
      align: 'right',
      fixed: true,
      render: (row) => <Money value={row.result} digits={6} unit={false} sign />,
    },
    {
      key: 'mode',
      label: t(($) => $.licences.mode),
      render: (row) => <ModeBadge mode={row.mode} size="xs" />,
    },
    {
      key: 'state',
      label: t(($) => $.operations.state),
      fixed: true,
      render: (row) => (
        <State row={row} own={me?._id === person} me={me?.username} onReverse={() => setChosen(row)} />
      ),
    },
  ];
  const reverse = async (reason: string, key: string) => {
    if (!chosen) return;
    const order = { robotId: licence._id, operationId: chosen._id, reason };
    const { reversed } = await reverseResult(order, key);
    if (reversed) toast.success(t(($) => $.operations.done));
    else toast.info(t(($) => $.operations.half));
  };
  return (
    <>
      <List
        list={list}
        name="operations"
        label={t(($) => $.operations.title, { number: licence.number })}
        columns={columns}
        what={t(($) => $.operations.what)}
        empty={<EmptyState title={t(($) => $.operations.empty)} />}
        dim={(row) => Boolean(row.reversedAt)}
      />
      {chosen && (
        <ConfirmDialog
          opened
          onClose={() => setChosen(null)}
          title={t(($) => $.operations.question)}
          facts={[
            { label: t(($) => $.licences.number), value: `#${licence.number}` },
            { label: t(($) => $.operations.route), value: chosen.route },
            { label: t(($) => $.operations.together), value: format.count(chosen.together) },
            { label: t(($) => $.operations.gain), value: <Money value={chosen.gain} digits={6} /> },
            { label: t(($) => $.operations.loss), value: <Money value={chosen.loss} digits={6} /> },
            ...(chosen.askedBy
              ? [
                  { label: t(($) => $.operations.by), value: <MemberName username={chosen.askedBy} /> },
                  { label: t(($) => $.operations.why), value: chosen.askedReason ?? '' },
                ]
              : []),
          ]}
          consequence={
            <ApprovalEffect
              subject={{
                kind: 'result_reversal',
                ...(chosen.reversal ? { id: chosen.reversal } : { customer: person }),
              }}
              once={t(($) => $.operations.effect)}
            />
          }
          {...(!chosen.askedBy && { reason: { label: t(($) => $.operations.reason), required: true } })}
          confirmLabel={t(($) => $.operations[chosen.askedBy ? 'agree' : 'reverse'])}
          danger
          onConfirm={({ idempotencyKey, reason }) => reverse(reason, idempotencyKey)}
        />
      )}
    </>
  );
}

interface StateProps {
  row: Operation;
  own: boolean;
  me: string | undefined;
  onReverse: () => void;
}

/** Whether a result stands, who has asked to take it back, and what the reader can do about it. */
function State({ row, own, me, onReverse }: StateProps) {
  const { t } = useTranslation('people');
  if (row.reversedAt)
    return (
      <Stack gap={2} maw={260}>
        <Group gap={6}>
          <Badge size="xs" color="gray">
            {t(($) => $.operations.reversed)}
          </Badge>
          <Text fz="xs" c="dimmed" component="div">
            <When at={row.reversedAt} />
          </Text>
        </Group>
        <Text fz="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {row.reversalReason}
        </Text>
      </Stack>
    );
  if (!row.booked)
    return (
      <Text fz="xs" c="dimmed">
        {t(($) => $.operations.nothing)}
      </Text>
    );
  return (
    <Stack gap={4} maw={260} align="flex-start">
      {row.askedBy && (
        <Text fz="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {t(($) => $.operations.asked, { username: row.askedBy, reason: row.askedReason ?? '' })}
        </Text>
      )}
      {row.askedBy && row.askedBy === me && row.reversal ? (
        <TakeBack kind="result_reversal" id={row.reversal} />
      ) : (
        <GuardedButton
          variant="light"
          color="red"
          size="compact-xs"
          allowed={!own}
          reason={t(($) => $.operations.own)}
          onClick={onReverse}
        >
          {t(($) => $.operations[row.askedBy ? 'agree' : 'reverse'])}
        </GuardedButton>
      )}
    </Stack>
  );
}
