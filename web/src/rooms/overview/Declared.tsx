import { Badge, Box, Button, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { mayRead, useUser } from '@/api/session';
import { ApprovalEffect } from '@/shared/decisions/ApprovalEffect';
import { OwnWord } from '@/shared/decisions/TakeBack';
import { MemberName } from '@/shared/network/MemberName';
import { PersonHandle } from '@/shared/people/PersonCell';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { MoneyInput } from '@/ui/MoneyInput';
import { ShortTable } from '@/ui/ShortTable';
import { toast } from '@/ui/toast';
import { When } from '@/ui/When';
import classes from './Declared.module.css';
import { decideHolding, declareHolding } from './live';

type Declared = Schemas['DeclaredHolding'];

/** What staff typed that the house holds elsewhere: by whom and when, beside the ratio. A second person agrees above the limit. */
export function DeclaredHoldings({ report }: { report: Schemas['Solvency'] }) {
  const { t } = useTranslation('overview');
  const me = useUser()?._id;
  const may = mayRead('admin_permissions');
  const [declaring, setDeclaring] = useState(false);
  const [deciding, setDeciding] = useState<{ row: Declared; approve: boolean } | null>(null);
  if (!may && report.declared.length === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-labelledby="declared">
      <Group justify="space-between" gap="sm">
        <div>
          <Title order={3} fz={15} id="declared">
            {t(($) => $.declared.title)}
          </Title>
          <Text fz="xs" c="dimmed">
            {t(($) => $.declared.subtitle)}
          </Text>
        </div>
        {may && (
          <Button size="xs" variant="default" onClick={() => setDeclaring(true)}>
            {t(($) => $.declared.declare)}
          </Button>
        )}
      </Group>
      {report.declared.length > 0 && (
        <ShortTable
          label={t(($) => $.declared.title)}
          rows={report.declared}
          rowKey={({ _id }) => _id}
          testId={({ status }) => `declared-${status}`}
          columns={[
            {
              key: 'place',
              label: t(($) => $.declared.place),
              render: (row) => (
                <>
                  <span>{row.place}</span>
                  <Text fz="xs" c="dimmed">
                    {row.note}
                  </Text>
                </>
              ),
            },
            {
              key: 'by',
              label: t(($) => $.declared.by),
              render: (row) => (
                <By
                  row={row}
                  may={may}
                  own={row.declaredBy === me}
                  onDecide={(approve) => setDeciding({ row, approve })}
                />
              ),
            },
            {
              key: 'worth',
              label: t(($) => $.solvency.worth),
              figure: true,
              render: (row) => (
                <>
                  (<Money value={row.value} digits={4} unit={false} />)
                </>
              ),
            },
          ]}
        />
      )}
      {declaring && <Declare onClose={() => setDeclaring(false)} />}
      {deciding && <Decide {...deciding} onClose={() => setDeciding(null)} />}
    </Stack>
  );
}

interface ByProps {
  row: Declared;
  may: boolean;
  /** Who declared it has agreed already. */
  own: boolean;
  onDecide: (approve: boolean) => void;
}

/** Who typed it and when; while it waits for another person, what that person may do. */
function By({ row, may, own, onDecide }: ByProps) {
  const { t } = useTranslation('overview');
  return (
    <>
      <PersonHandle id={row.declaredBy} username={row.username} />
      <Text fz="xs" c="dimmed" component="div">
        <When at={row.created_at} />
      </Text>
      {row.status === 'pending' && (
        <Box mt={4} className={classes.deeds}>
          <Badge size="sm" color="gold" variant="light">
            {t(($) => $.declared.waits, { given: row.approvals, needed: row.approvalsNeeded })}
          </Badge>
          {may && !own && row.approvals > 0 && (
            <OwnWord subject={{ kind: 'declared_holdings', id: row._id }} />
          )}
          {may && (
            <>
              <GuardedButton
                size="compact-xs"
                variant="light"
                allowed={!own}
                reason={t(($) => $.declared.own)}
                onClick={() => onDecide(true)}
              >
                {t(($) => $.declared.approve)}
              </GuardedButton>
              <Button size="compact-xs" variant="subtle" color="red" onClick={() => onDecide(false)}>
                {t(($) => $.declared.reject)}
              </Button>
            </>
          )}
        </Box>
      )}
    </>
  );
}

function Declare({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('overview');
  const [place, setPlace] = useState('');
  const [value, setValue] = useState('');
  const [note, setNote] = useState('');
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t(($) => $.declared.declareTitle)}
      consequence={
        value !== '' && (
          <ApprovalEffect
            subject={{ kind: 'declared_holdings', usdt: value }}
            once={t(($) => $.declared.declareHint)}
          />
        )
      }
      confirmLabel={t(($) => $.declared.declare)}
      ready={place.trim() !== '' && value !== '' && note.trim() !== ''}
      onConfirm={async ({ idempotencyKey }) => {
        const made = await declareHolding({ place, value, note }, idempotencyKey);
        toast.success(
          made.status === 'standing' ? t(($) => $.declared.done) : t(($) => $.declared.waitsForSecond),
        );
      }}
    >
      <Stack gap="sm">
        <TextInput
          label={t(($) => $.declared.place)}
          description={t(($) => $.declared.placeHint)}
          value={place}
          onChange={(event) => setPlace(event.currentTarget.value)}
          maxLength={60}
          required
          data-autofocus
        />
        <MoneyInput label={t(($) => $.declared.value)} value={value} onChange={setValue} required />
        <Textarea
          label={t(($) => $.declared.note)}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          maxLength={500}
          autosize
          required
        />
      </Stack>
    </ConfirmDialog>
  );
}

function Decide({ row, approve, onClose }: { row: Declared; approve: boolean; onClose: () => void }) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const decide = async ({ idempotencyKey, reason }: { idempotencyKey: string; reason: string }) => {
    const decided = await decideHolding(
      { id: row._id, approve, ...(!approve && { reason }) },
      idempotencyKey,
    );
    toast.success(
      t(
        ($) =>
          $.declared[
            decided.status === 'standing'
              ? 'done'
              : decided.status === 'pending'
                ? 'waitsForSecond'
                : 'rejected'
          ],
      ),
    );
  };
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={approve ? t(($) => $.declared.approveTitle) : t(($) => $.declared.rejectTitle)}
      facts={[
        { label: t(($) => $.declared.place), value: row.place },
        { label: t(($) => $.declared.value), value: format.usdt(row.value) },
        { label: t(($) => $.declared.note), value: row.note },
        { label: t(($) => $.declared.by), value: <MemberName username={row.username} /> },
      ]}
      consequence={
        approve && (
          <ApprovalEffect
            subject={{ kind: 'declared_holdings', id: row._id }}
            once={t(($) => $.declared.declareHint)}
          />
        )
      }
      {...(!approve && { reason: { label: t(($) => $.declared.reason), required: true }, danger: true })}
      confirmLabel={approve ? t(($) => $.declared.approve) : t(($) => $.declared.reject)}
      onConfirm={decide}
    />
  );
}
