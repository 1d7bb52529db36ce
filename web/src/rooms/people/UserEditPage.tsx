import { Alert, Button, Group, Select, SimpleGrid, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router';
import { $api } from '@/api/hooks';
import { AddressFields, type AddressForm, addressFits, EMPTY_ADDRESS } from '@/shared/people/AddressFields';
import { personPath } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { GuardedButton } from '@/ui/GuardedButton';
import { PageHeader } from '@/ui/PageHeader';
import { Section } from '@/ui/Section';
import { toast } from '@/ui/toast';
import { useSaveText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { AvatarCard } from './AvatarCard';
import { edit, LOCALES, type Locale, PERSON, type Person } from './people';
import { StatusDialog } from './StatusDialog';
import { TwoNotice } from './TwoNotice';
import { Unknown } from './Unknown';
import { useAsked } from './useAsked';
import { useDecides } from './useDecides';

/** /administrator/users/edit/:id: what staff change of somebody. */
export default function UserEditPage() {
  const { t } = useTranslation('people');
  const { id = '' } = useParams();
  const answer = $api.useQuery('get', PERSON, { params: { path: { id } } }, { retry: false });
  const person = answer.data;
  // An answer without anybody in it is a fault, not somebody who may not be changed.
  if (person ? !person._id : answer.error)
    return <Unknown id={id} error={answer.error} onRetry={answer.refetch} />;
  return (
    <Stack gap="lg" maw={900}>
      <PageHeader
        title={t(($) => $.edit.title)}
        subtitle={person && `${person.fullName} · @${person.username}`}
        action={
          <Button
            component={Link}
            to={personPath(id)}
            variant="default"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
          >
            {t(($) => $.edit.back)}
          </Button>
        }
      />
      {!person ? (
        <Stack role="status" aria-label={t(($) => $.view.what)}>
          <Skeleton h={150} radius="lg" />
          <Skeleton h={380} radius="lg" />
        </Stack>
      ) : person.editable ? (
        <Cards key={person._id} person={person} />
      ) : (
        <Alert color="gold" variant="light" role="status">
          {t(($) => $.edit.refused)}
        </Alert>
      )}
    </Stack>
  );
}

function Cards({ person }: { person: Person }) {
  const decides = useDecides()(person.roles.map(({ name }) => name));
  return (
    <>
      {person.request && <Waits />}
      <AvatarCard person={person} />
      <Profile person={person} />
      <Mail person={person} why={decides ? 'decider' : person.emailByTwo ? 'email' : undefined} />
      <Status person={person} two={decides} />
      <Factors person={person} />
    </>
  );
}

function Waits() {
  const { t } = useTranslation('people');
  return (
    <Alert color="gold" variant="light" role="status">
      {t(($) => $.two.waits)}
    </Alert>
  );
}

interface ProfileForm {
  fullName: string;
  mobileNumber: string;
  locale: Locale;
  address: AddressForm;
}

function formOf(person: Person): ProfileForm {
  const address = { ...EMPTY_ADDRESS };
  for (const part of Object.keys(EMPTY_ADDRESS) as (keyof AddressForm)[])
    address[part] = person.address?.[part] ?? '';
  return {
    fullName: person.fullName,
    mobileNumber: person.mobileNumber ?? '',
    locale: person.locale,
    address,
  };
}

function Profile({ person }: { person: Person }) {
  const { t } = useTranslation('people');
  const saveText = useSaveText();
  const before = formOf(person);
  const [form, setForm] = useState(before);
  const [checked, setChecked] = useState(false);
  const { busy, failure, field, run, clear } = useSubmit(edit, () => toast.success(t(($) => $.edit.saved)));
  const set = (part: Partial<ProfileForm>) => {
    setForm({ ...form, ...part });
    clear();
  };
  const given = Object.values(form.address).some((part) => part.trim() !== '');
  const moved = JSON.stringify(form.address) !== JSON.stringify(before.address);
  const dirty = JSON.stringify(form) !== JSON.stringify(before);
  const fits = form.fullName.trim().length >= 2 && (!moved || !given || addressFits(form.address));
  const inFields =
    ['fullName', 'mobileNumber', 'locale'].some((name) => field(name)) ||
    Object.keys(EMPTY_ADDRESS).some((part) => field(`address.${part}`));
  return (
    <Section id="profile" title={t(($) => $.edit.profile)}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setChecked(true);
          if (!dirty || !fits) return;
          const { complement, ...address } = form.address;
          void run({
            id: person._id,
            ...(form.fullName !== before.fullName && { fullName: form.fullName.trim() }),
            ...(form.mobileNumber !== before.mobileNumber && { mobileNumber: form.mobileNumber.trim() }),
            ...(form.locale !== before.locale && { locale: form.locale }),
            ...(moved && given && { address: { ...address, complement: complement.trim() || null } }),
          });
        }}
      >
        <Stack gap="sm">
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TextInput
              label={t(($) => $.fields.fullName)}
              value={form.fullName}
              onChange={(event) => set({ fullName: event.currentTarget.value })}
              error={
                field('fullName') ??
                (form.fullName.trim().length < 2 ? t(($) => $.edit.nameNeeded) : undefined)
              }
              maxLength={120}
              autoComplete="off"
              required
            />
            <TextInput
              type="tel"
              label={t(($) => $.fields.mobileNumber)}
              value={form.mobileNumber}
              onChange={(event) => set({ mobileNumber: event.currentTarget.value })}
              error={field('mobileNumber')}
              maxLength={24}
              autoComplete="off"
            />
            <Select
              label={t(($) => $.fields.locale)}
              value={form.locale}
              onChange={(next) => next && set({ locale: next as Locale })}
              error={field('locale')}
              data={LOCALES.map((value) => ({ value, label: t(($) => $.languages[value]) }))}
              allowDeselect={false}
            />
          </SimpleGrid>
          <AddressFields
            value={form.address}
            onChange={(address) => set({ address })}
            checked={checked && moved && given}
            field={field}
          />
          {failure && !inFields && (
            <Alert color="red" variant="light" role="alert">
              {saveText(failure.error)}
            </Alert>
          )}
          <Group gap="sm" mt="xs">
            <GuardedButton type="submit" loading={busy} allowed={dirty} reason={t(($) => $.edit.clean)}>
              {t(($) => $.edit.save)}
            </GuardedButton>
            {dirty && (
              <Button variant="subtle" color="gray" onClick={() => setForm(before)} disabled={busy}>
                {t(($) => $.edit.discard)}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Section>
  );
}

function Mail({ person, why }: { person: Person; why?: 'decider' | 'email' }) {
  const { t } = useTranslation('people');
  const two = why !== undefined;
  const saveText = useSaveText();
  const asked = useAsked();
  const [email, setEmail] = useState(person.email);
  const [asking, setAsking] = useState(false);
  const { busy, failure, field, run, clear } = useSubmit(edit, ({ request }) =>
    asked(
      request,
      t(($) => $.edit.emailDone),
    ),
  );
  const other = email.trim().toLowerCase() !== person.email.toLowerCase() && email.includes('@');
  return (
    <Section id="mail" title={t(($) => $.edit.email)} hint={t(($) => $.edit.emailHint)}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (other) setAsking(true);
        }}
      >
        <Stack gap="sm">
          <TextInput
            type="email"
            label={t(($) => $.fields.email)}
            value={email}
            onChange={(event) => {
              setEmail(event.currentTarget.value);
              clear();
            }}
            error={field('email')}
            maxLength={254}
            autoComplete="off"
            maw={420}
          />
          {why && <TwoNotice why={why} />}
          {failure && !field('email') && (
            <Alert color="red" variant="light" role="alert">
              {saveText(failure.error)}
            </Alert>
          )}
          <Group>
            <GuardedButton
              type="submit"
              variant="default"
              loading={busy}
              allowed={other && !person.request}
              reason={person.request ? t(($) => $.two.waits) : t(($) => $.edit.emailSame)}
            >
              {two ? t(($) => $.two.ask) : t(($) => $.edit.emailAction)}
            </GuardedButton>
          </Group>
        </Stack>
      </form>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t(($) => $.edit.emailTitle)}
        facts={[
          { label: t(($) => $.edit.before), value: person.email },
          { label: t(($) => $.edit.after), value: email.trim() },
        ]}
        consequence={t(($) => $.edit.emailEffect)}
        confirmLabel={two ? t(($) => $.two.ask) : t(($) => $.edit.emailAction)}
        danger
        // What the server refuses stands beside the field.
        onConfirm={async () => void run({ id: person._id, email: email.trim() })}
      />
    </Section>
  );
}

function Status({ person, two }: { person: Person; two: boolean }) {
  const { t } = useTranslation('people');
  const [switching, setSwitching] = useState(false);
  const off = person.status === 'active';
  return (
    <Section id="status" title={t(($) => $.list.status)}>
      <Stack gap="sm">
        <Group gap="sm">
          <StatusBadge status={person.status} />
          {person.statusReason && !off && (
            <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {t(($) => $.status.because, { reason: person.statusReason })}
            </Text>
          )}
        </Group>
        <Group>
          <GuardedButton
            variant="default"
            {...(off && { color: 'red' })}
            allowed={!person.request}
            reason={t(($) => $.two.waits)}
            onClick={() => setSwitching(true)}
          >
            {t(($) => $.status[off ? 'deactivate' : 'activate'].action)}
          </GuardedButton>
        </Group>
      </Stack>
      {switching && <StatusDialog person={person} two={two} onClose={() => setSwitching(false)} />}
    </Section>
  );
}

function Factors({ person }: { person: Person }) {
  const { t } = useTranslation('people');
  const asked = useAsked();
  const [asking, setAsking] = useState(false);
  const { email, app, passkey } = person.twoFactor;
  const on = email || app || passkey;
  return (
    <Section id="factors" title={t(($) => $.factors.title)} hint={t(($) => $.factors.hint)}>
      <Stack gap="sm" align="start">
        <Text fz="sm">
          {on
            ? [
                email && t(($) => $.states.factorEmail),
                app && t(($) => $.states.factorApp),
                passkey && t(($) => $.states.factorPasskey),
              ]
                .filter(Boolean)
                .join(' · ')
            : t(($) => $.states.noFactor)}
        </Text>
        <GuardedButton
          variant="default"
          allowed={on && !person.request}
          reason={on ? t(($) => $.two.waits) : t(($) => $.factors.none)}
          onClick={() => setAsking(true)}
        >
          {t(($) => $.factors.action)}
        </GuardedButton>
      </Stack>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t(($) => $.factors.question, { name: person.username })}
        consequence={t(($) => $.factors.effect)}
        reason={{ label: t(($) => $.status.reason), required: true }}
        confirmLabel={t(($) => $.two.ask)}
        saves
        danger
        onConfirm={async ({ reason }) => {
          const { request } = await edit({ id: person._id, twoFactor: false, reason });
          asked(
            request,
            t(($) => $.factors.done),
          );
        }}
      >
        <TwoNotice why="factor" />
      </ConfirmDialog>
    </Section>
  );
}
