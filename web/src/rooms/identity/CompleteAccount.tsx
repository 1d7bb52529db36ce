import { Anchor, Box, Button, Checkbox, Group, Radio, Stack, Text, TextInput, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { api, type Schemas } from '@/api/client';
import { mutation } from '@/api/mutation';
import { type Me, reloadUser, signOut, useUser } from '@/api/session';
import { AddressFields, addressFits, EMPTY_ADDRESS } from '@/shared/people/AddressFields';
import { RiskNotice } from '@/shared/results/RiskNotice';
import { toast } from '@/ui/toast';
import { given, useSubmit } from '@/ui/useSubmit';
import { Problem } from './Problem';
import { PublicCard } from './PublicCard';
import { Terms } from './Terms';
import { WayOut } from './WayOut';

const EMPTY = {
  terms: false,
  risk: false,
  adult: false,
  referred: false,
  upline: '',
  address: EMPTY_ADDRESS,
};

const complete = mutation({
  send: async (given: Schemas['Completion']) => {
    await api.POST('/me/complete', { body: given });
    await reloadUser();
  },
  changes: ['/me/acceptances'],
});

/** What an account lacks is asked for before anything else (docs/rules/web.md#completing-an-account): exactly that, in one step. */
export default function CompleteAccount() {
  const user = useUser();
  return user && <Form user={user} />;
}

function Form({ user }: { user: Me }) {
  const { t } = useTranslation('identity');
  const [form, setForm] = useState(EMPTY);
  const [checked, setChecked] = useState(false);
  const { busy, failure, run, field } = useSubmit(given);
  const set = (part: Partial<typeof EMPTY>) => setForm((before) => ({ ...before, ...part }));
  const lacks = (name: string) => user.missing.includes(name);
  const newer = user.termsBefore && lacks('terms');
  const fits =
    (!lacks('terms') || form.terms) &&
    (!lacks('risk') || form.risk) &&
    (!lacks('adult') || form.adult) &&
    (!lacks('address') || addressFits(form.address)) &&
    (!lacks('upline') || !form.referred || form.upline.trim() !== '');
  const submit = async () => {
    setChecked(true);
    if (!fits) return;
    const { complement, ...rest } = form.address;
    const done = await run(() =>
      complete({
        terms: form.terms,
        riskNotice: form.risk,
        adult: form.adult,
        ...(lacks('address') && { address: { ...rest, complement: complement.trim() || null } }),
        ...(lacks('upline') && form.referred && { upline: form.upline.trim() }),
      }),
    );
    if (done) toast.success(t(($) => $.complete.done));
  };
  return (
    <PublicCard
      width={560}
      title={newer ? t(($) => $.complete.renewTitle) : t(($) => $.complete.title)}
      subtitle={newer ? t(($) => $.complete.renewSubtitle) : t(($) => $.complete.subtitle)}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Stack gap="xl">
          {lacks('upline') && (
            <Part title={t(($) => $.complete.upline.title)}>
              <Radio.Group
                label={t(($) => $.complete.upline.label)}
                value={form.referred ? 'someone' : 'house'}
                onChange={(value) => set({ referred: value === 'someone' })}
              >
                <Stack gap="xs" mt="xs">
                  <Radio value="house" label={t(($) => $.complete.upline.nobody)} />
                  <Radio value="someone" label={t(($) => $.complete.upline.someone)} />
                </Stack>
              </Radio.Group>
              {form.referred && (
                <TextInput
                  label={t(($) => $.complete.upline.username)}
                  description={t(($) => $.complete.upline.hint)}
                  value={form.upline}
                  onChange={(event) => set({ upline: event.currentTarget.value })}
                  error={
                    field('upline') ?? (checked && form.upline.trim() === '' && t(($) => $.errors.required))
                  }
                  maxLength={40}
                  autoComplete="off"
                  spellCheck={false}
                  required
                />
              )}
            </Part>
          )}
          {lacks('address') && (
            <Part title={t(($) => $.complete.address)}>
              <AddressFields
                value={form.address}
                onChange={(address) => set({ address })}
                checked={checked}
                field={field}
              />
            </Part>
          )}
          {(lacks('terms') || lacks('risk') || lacks('adult')) && (
            <Part title={t(($) => $.complete.terms)}>
              {lacks('terms') && (
                <>
                  <Terms />
                  <Checkbox
                    checked={form.terms}
                    onChange={(event) => set({ terms: event.currentTarget.checked })}
                    label={t(($) => $.register.terms)}
                    error={checked && !form.terms && t(($) => $.register.termsMissing)}
                  />
                </>
              )}
              {lacks('risk') && (
                <>
                  <RiskNotice />
                  <Checkbox
                    checked={form.risk}
                    onChange={(event) => set({ risk: event.currentTarget.checked })}
                    label={t(($) => $.register.risk)}
                    error={checked && !form.risk && t(($) => $.register.riskMissing)}
                  />
                </>
              )}
              {lacks('adult') && (
                <Checkbox
                  checked={form.adult}
                  onChange={(event) => set({ adult: event.currentTarget.checked })}
                  label={t(($) => $.register.adult)}
                  error={checked && !form.adult && t(($) => $.register.adultMissing)}
                />
              )}
            </Part>
          )}
          {failure && <Problem {...failure} title={t(($) => $.complete.failed)} />}
          {newer && (
            <div>
              <Text fz="sm" c="dimmed">
                {t(($) => $.complete.stillYours)}
              </Text>
              <Anchor component={Link} to="/wallet/my-withdrawals-pix" fz="sm">
                {t(($) => $.complete.withdraw)}
              </Anchor>
            </div>
          )}
          <Group justify="space-between">
            <Anchor component="button" type="button" fz="sm" onClick={() => void signOut()}>
              {t(($) => $.complete.leave)}
            </Anchor>
            <Button type="submit" loading={busy}>
              {t(($) => $.complete.submit)}
            </Button>
          </Group>
        </Stack>
      </form>
      {/* A form of its own. */}
      <Box mt="lg">
        <WayOut user={user} />
      </Box>
    </PublicCard>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack component="section" gap="sm">
      <Title order={2} fz={16}>
        {title}
      </Title>
      {children}
    </Stack>
  );
}
