import { Badge, Button, Group, SimpleGrid, Stack, Table, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '@/api/client';
import { type Me, reloadUser } from '@/api/session';
import { type Codes, CodesDialog } from '@/ui/CodesDialog';
import { GuardedButton } from '@/ui/GuardedButton';
import { toast } from '@/ui/toast';
import { useRoleName } from '@/ui/useRoleName';
import { When } from '@/ui/When';
import { AddressFields, type AddressForm, addressFits, EMPTY_ADDRESS } from './AddressFields';
import { Section } from './Section';

/** What one may change about oneself (with a code from the mail and, where it is on, one of the authenticator), and what one may not. */
export function ProfileCard({ user }: { user: Me }) {
  const { t } = useTranslation('identity');
  const roleName = useRoleName();
  const before = profileOf(user);
  const [form, setForm] = useState(before);
  const [checked, setChecked] = useState(false);
  const [asking, setAsking] = useState(false);
  const dirty = JSON.stringify(form) !== JSON.stringify(before);
  const ready = form.fullName.trim().length >= 3 && addressFits(form.address);
  const save = async (codes: Codes) => {
    const { complement, ...address } = form.address;
    await body(
      api.PATCH('/me', {
        body: {
          ...codes,
          fullName: form.fullName.trim(),
          mobileNumber: form.mobileNumber.trim(),
          address: { ...address, complement: complement.trim() || null },
        },
      }),
    );
    const fresh = await reloadUser();
    setForm(profileOf(fresh));
    toast.success(t(($) => $.account.profile.saved));
  };
  return (
    <Stack gap="lg" maw={860}>
      <Section title={t(($) => $.account.profile.title)} hint={t(($) => $.account.profile.hint)}>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            setChecked(true);
            if (ready && dirty) setAsking(true);
          }}
        >
          <Stack gap="sm">
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
              <TextInput
                name="name"
                autoComplete="name"
                required
                maxLength={120}
                label={t(($) => $.fields.fullName)}
                value={form.fullName}
                onChange={(event) => setForm({ ...form, fullName: event.currentTarget.value })}
                error={checked && form.fullName.trim().length < 3 && t(($) => $.errors.required)}
              />
              <TextInput
                name="tel"
                type="tel"
                autoComplete="tel"
                maxLength={24}
                label={t(($) => $.fields.mobileNumber)}
                value={form.mobileNumber}
                onChange={(event) => setForm({ ...form, mobileNumber: event.currentTarget.value })}
              />
            </SimpleGrid>
            <AddressFields
              value={form.address}
              onChange={(address) => setForm({ ...form, address })}
              checked={checked}
              field={() => undefined}
            />
            <Group mt="xs">
              <GuardedButton type="submit" allowed={dirty} reason={t(($) => $.account.profile.clean)}>
                {t(($) => $.account.profile.submit)}
              </GuardedButton>
              {dirty && (
                <>
                  <Button variant="subtle" color="gray" onClick={() => setForm(before)}>
                    {t(($) => $.account.discard)}
                  </Button>
                  <Badge color="gold">{t(($) => $.account.profile.dirty)}</Badge>
                </>
              )}
            </Group>
          </Stack>
        </form>
      </Section>
      <Section title={t(($) => $.account.about.title)}>
        <Table variant="vertical" layout="fixed">
          <Table.Tbody>
            <Fact label={t(($) => $.account.about.username)}>@{user.username}</Fact>
            <Fact label={t(($) => $.fields.email)}>{user.email}</Fact>
            <Fact label={t(($) => $.account.about.roles)}>
              {user.roles.map(({ name }) => roleName(name)).join(', ')}
            </Fact>
            {user.sponsor && (
              <Fact label={t(($) => $.account.about.sponsor)}>
                {user.sponsor.firstName} (@{user.sponsor.username})
              </Fact>
            )}
            <Fact label={t(($) => $.account.about.since)}>
              <When at={user.registeredAt} />
            </Fact>
          </Table.Tbody>
        </Table>
      </Section>
      <CodesDialog
        app={user.twoFactor.app}
        opened={asking}
        onClose={() => setAsking(false)}
        title={t(($) => $.account.profile.title)}
        hint={t(($) => $.second.hint.email)}
        onSend={() => api.POST('/security-code', { body: { purpose: 'change-account-data' } })}
        onCodes={save}
      />
    </Stack>
  );
}

function Fact({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th w="38%" fw={500} c="dimmed" bg="transparent">
        {label}
      </Table.Th>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <Text fz="sm" component="div">
          {children}
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}

function profileOf(user: Me): { fullName: string; mobileNumber: string; address: AddressForm } {
  const address = { ...EMPTY_ADDRESS };
  for (const part of Object.keys(EMPTY_ADDRESS) as (keyof AddressForm)[])
    address[part] = user.address?.[part] ?? '';
  return { fullName: user.fullName, mobileNumber: user.mobileNumber ?? '', address };
}
