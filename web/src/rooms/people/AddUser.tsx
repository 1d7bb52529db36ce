import { Alert, Button, Checkbox, Drawer, Group, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { $api } from '@/api/hooks';
import { mayRead, useCan } from '@/api/session';
import { currentLocale } from '@/i18n';
import { personPath } from '@/shared/people/PersonCell';
import { useRoleName } from '@/shared/people/useRoleName';
import { ErrorCard } from '@/ui/ErrorCard';
import { GuardedButton } from '@/ui/GuardedButton';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { invite, LOCALES, type Locale } from './people';
import { SponsorField } from './SponsorField';
import { TwoNotice } from './TwoNotice';
import { useDecides } from './useDecides';
import { usernameStem } from './username';

/** Makes an account by invitation: its owner chooses the password. */
export function AddUser({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation('people');
  const { t: common } = useTranslation();
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size="min(560px, 100%)"
      title={
        <Title order={2} fz={18}>
          {t(($) => $.add.title)}
        </Title>
      }
      closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
    >
      {opened && <Form onClose={onClose} />}
    </Drawer>
  );
}

function Form({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('people');
  const { t: common } = useTranslation();
  const navigate = useNavigate();
  const errorText = useErrorText();
  const gives = useCan('admin_permissions');
  const [form, setForm] = useState({
    fullName: '',
    email: '',
    mobileNumber: '',
    locale: currentLocale() as Locale,
    sponsor: '',
    roles: [] as string[],
  });
  const [two, setTwo] = useState(false);
  const { busy, failure, field, run, changed } = useSubmit(invite, (made) => {
    onClose();
    toast.success(t(($) => $.add.done, { email: form.email.trim() }));
    if (made.request) toast.info(t(($) => $.two.asked));
    if (mayRead('customer-service_user-view')) void navigate(personPath(made._id));
  });
  const set = (part: Partial<typeof form>) => {
    setForm({ ...form, ...part });
    changed();
  };
  const stem = usernameStem(form.fullName);
  const ready = form.fullName.trim().length >= 2 && form.email.includes('@');
  // What belongs to a field stands beside it.
  const elsewhere =
    failure &&
    !['fullName', 'email', 'mobileNumber', 'locale', 'sponsor', 'roles'].some((name) => field(name));
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!ready) return;
        const { mobileNumber, sponsor, ...rest } = form;
        void run({
          ...rest,
          fullName: form.fullName.trim(),
          email: form.email.trim(),
          mobileNumber: mobileNumber.trim() || null,
          sponsor: sponsor.trim() || null,
        });
      }}
    >
      <Stack gap="md">
        <TextInput
          label={t(($) => $.fields.fullName)}
          value={form.fullName}
          onChange={(event) => set({ fullName: event.currentTarget.value })}
          error={field('fullName')}
          description={stem === null ? t(($) => $.add.username) : t(($) => $.add.preview, { stem })}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maxLength={120}
          autoComplete="off"
          required
          data-autofocus
        />
        <TextInput
          type="email"
          label={t(($) => $.fields.email)}
          value={form.email}
          onChange={(event) => set({ email: event.currentTarget.value })}
          error={field('email')}
          maxLength={254}
          autoComplete="off"
          required
        />
        <Group grow align="start" preventGrowOverflow={false} wrap="wrap">
          <TextInput
            type="tel"
            label={t(($) => $.fields.mobileNumber)}
            value={form.mobileNumber}
            onChange={(event) => set({ mobileNumber: event.currentTarget.value })}
            error={field('mobileNumber')}
            maxLength={24}
            autoComplete="off"
            miw={180}
          />
          <Select
            label={t(($) => $.fields.locale)}
            value={form.locale}
            onChange={(next) => next && set({ locale: next as Locale })}
            error={field('locale')}
            data={LOCALES.map((value) => ({ value, label: t(($) => $.languages[value]) }))}
            allowDeselect={false}
            miw={180}
          />
        </Group>
        <SponsorField
          value={form.sponsor}
          onChange={(sponsor) => set({ sponsor })}
          error={field('sponsor')}
        />
        {gives && (
          <Roles
            chosen={form.roles}
            onChange={(roles) => set({ roles })}
            onTwo={setTwo}
            error={field('roles')}
          />
        )}
        {gives && two && <TwoNotice why="role" />}
        {elsewhere && (
          <Alert color="red" variant="light" role="alert">
            {errorText(failure.error)}
          </Alert>
        )}
        <Text fz="sm" c="dimmed">
          {t(($) => $.add.mail)}
        </Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} disabled={busy}>
            {common(($) => $.actions.cancel)}
          </Button>
          <GuardedButton type="submit" loading={busy} allowed={ready} reason={t(($) => $.add.needs)}>
            {t(($) => $.add.submit)}
          </GuardedButton>
        </Group>
      </Stack>
    </form>
  );
}

interface RolesProps {
  chosen: readonly string[];
  onChange: (roles: string[]) => void;
  /** Whether one of them is given by two persons. */
  onTwo: (two: boolean) => void;
  error: string | undefined;
}

function Roles({ chosen, onChange, onTwo, error }: RolesProps) {
  const { t } = useTranslation('people');
  const roleName = useRoleName();
  const decides = useDecides();
  const roles = $api.useQuery('get', '/admin/roles', {}, { staleTime: 300_000 });
  if (roles.error && !roles.data)
    return <ErrorCard what={t(($) => $.add.roles)} error={roles.error} onRetry={roles.refetch} />;
  const all = roles.data?.data ?? [];
  return (
    <Checkbox.Group
      label={t(($) => $.list.roles)}
      description={t(($) => $.add.rolesHint)}
      value={[...chosen]}
      error={error}
      onChange={(next) => {
        onChange(next);
        onTwo(decides(all.filter(({ _id }) => next.includes(_id)).map(({ name }) => name)));
      }}
    >
      <Stack gap={8} mt={8}>
        {all.map(({ _id, name }) => (
          <Checkbox key={_id} value={_id} label={roleName(name)} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
