import { Alert, SegmentedControl, Select } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { toast } from '@/ui/toast';
import { changeRole, decides, type Holder, type Role } from './permissions';
import { useWords } from './useWords';

interface ChangeRoleProps {
  holder: Holder;
  roles: readonly Role[];
  /** Until a new administrator's decisions count. */
  hours: number | undefined;
  onClose: () => void;
}

/** One role given or taken; what it brings, and whether a second person is needed, stands there before the press. */
export function ChangeRole({ holder, roles, hours, onClose }: ChangeRoleProps) {
  const { t } = useTranslation('permissions');
  const words = useWords();
  const [what, setWhat] = useState<'add' | 'remove'>('add');
  const [roleId, setRoleId] = useState<string | null>(null);
  const offered = roles.filter(({ _id }) => holder.roles.includes(_id) === (what === 'remove'));
  const role = offered.find(({ _id }) => _id === roleId);
  const others = roles.filter(({ _id }) => holder.roles.includes(_id) && _id !== roleId);
  const kept = new Set(others.flatMap(({ permissions }) => permissions.map(({ subject }) => subject)));
  const changed = role?.permissions.filter(({ subject }) => !kept.has(subject)) ?? [];
  const two = role !== undefined && decides(role);
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t(($) => $.change.title, { name: holder.person.username })}
      confirmLabel={two ? t(($) => $.change.ask) : t(($) => $.change[what])}
      danger={what === 'remove'}
      ready={role !== undefined}
      consequence={
        role &&
        (changed.length > 0
          ? t(($) => $.change[what === 'add' ? 'gains' : 'loses'], {
              list: changed.map(({ subject }) => words.permission(subject)).join(', '),
            })
          : t(($) => $.change.same))
      }
      onConfirm={async () => {
        if (!role) return;
        const answer = await changeRole({ user: holder.person._id, role: role._id, what });
        toast.success(answer.request ? t(($) => $.change.waits) : t(($) => $.change.done));
      }}
    >
      <SegmentedControl
        aria-label={t(($) => $.change.what)}
        value={what}
        onChange={(next) => {
          setWhat(next as 'add' | 'remove');
          setRoleId(null);
        }}
        data={[
          { value: 'add', label: t(($) => $.change.add) },
          { value: 'remove', label: t(($) => $.change.remove) },
        ]}
      />
      <Select
        label={t(($) => $.role)}
        value={roleId}
        onChange={setRoleId}
        data={offered.map(({ _id, name }) => ({ value: _id, label: words.role(name) }))}
        placeholder={offered.length === 0 ? t(($) => $.change.none) : t(($) => $.change.choose)}
        allowDeselect={false}
        comboboxProps={{ withinPortal: true }}
      />
      {two && (
        <Alert color="gold" variant="light" role="status" icon={<IconUsers size={18} aria-hidden />}>
          <span>{t(($) => $.change.second)}</span>
          {what === 'add' && hours !== undefined && (
            <>
              {' '}
              <span>{t(($) => $.change.later, { hours })}</span>
            </>
          )}
        </Alert>
      )}
    </ConfirmDialog>
  );
}
