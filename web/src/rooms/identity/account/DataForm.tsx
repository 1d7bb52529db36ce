import { Alert, Badge, Button, Group, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, type Schemas } from '@/api/client';
import { mutation } from '@/api/mutation';
import { type ApiError, asApiError } from '@/api/problem';
import { type Me, useUser } from '@/api/session';
import { type Codes, CodesDialog } from '@/ui/CodesDialog';
import { GuardedButton } from '@/ui/GuardedButton';
import { Section } from '@/ui/Section';
import { toast } from '@/ui/toast';
import { useSaveText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { reread } from './reread';
import { useUnsaved } from './Unsaved';

type Patch = Omit<Schemas['PatchMe'], 'securityCode' | 'appCode'>;

/** A document stands beside the profile; PIX asks for it. */
const patchMe = mutation({
  send: (change: Patch & Partial<Codes>) => body(api.PATCH('/me', { body: change })),
  changes: ['/pix/holder'],
});

/** What somebody typed over what stands: the rest follows the profile, whoever changes it. */
export function useDataForm<Form extends object>(before: Form) {
  const [typed, setTyped] = useState<Partial<Form>>({});
  const [checked, setChecked] = useState(false);
  const [refused, setRefused] = useState<ApiError | null>(null);
  const form: Form = { ...before, ...typed };
  const changed = (Object.keys(typed) as (keyof Form)[]).filter(
    (name) => JSON.stringify(form[name]) !== JSON.stringify(before[name]),
  );
  return {
    form,
    changed,
    checked,
    refused,
    set: (part: Partial<Form>) => {
      setTyped((now) => ({ ...now, ...part }));
      setRefused(null);
    },
    check: () => setChecked(true),
    refuse: setRefused,
    /** The server's word about a field, until it is changed. */
    field: (name: string) => refused?.field(name),
    reset: () => {
      setTyped({});
      setChecked(false);
      setRefused(null);
    },
  };
}

type Shown<Form extends object> = Omit<ReturnType<typeof useDataForm<Form>>, 'form' | 'set' | 'field'>;

interface DataFormProps<Form extends object> {
  title: string;
  hint?: string;
  data: Shown<Form>;
  /** Whether it may be sent; what is wrong stands at the fields by then. */
  fits: boolean;
  /** What differs, as the call takes it. */
  patch: () => Patch;
  /** What differs is nobody's but one's own taste: no code is asked for. */
  free?: boolean;
  onSaved?: (user: Me) => unknown;
  children: ReactNode;
}

/** A form of one's own data: saved with a code from the mail and, where it is on, one of the authenticator. A refused field closes the
 *  codes again and is said where it stands. */
export function DataForm<Form extends object>(props: DataFormProps<Form>) {
  const { title, hint, data, fits, patch, free = false, onSaved, children } = props;
  const { t } = useTranslation('account');
  const { t: identity } = useTranslation('identity');
  const saveText = useSaveText();
  const user = useUser();
  const [asking, setAsking] = useState(false);
  const dirty = data.changed.length > 0;
  useUnsaved(dirty);
  const send = async (codes: Partial<Codes>) => {
    try {
      await patchMe({ ...patch(), ...codes });
    } catch (thrown) {
      const error = asApiError(thrown);
      const placed = Object.keys(error.errors).some((name) => name !== 'securityCode' && name !== 'appCode');
      if (!placed) throw thrown;
      data.refuse(error);
      return;
    }
    const fresh = await reread();
    if (fresh) {
      data.reset();
      await onSaved?.(fresh);
    }
    toast.success(identity(($) => $.account.profile.saved));
  };
  const direct = useSubmit(send);
  const submit = () => {
    data.check();
    if (!dirty || !fits) return;
    if (free) void direct.run({});
    else setAsking(true);
  };
  const problem = direct.failure?.error ?? data.refused;
  return (
    <Section title={title} {...(hint && { hint })}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack gap="md">
          {children}
          {problem && (
            <Alert color="red" variant="light" role="alert">
              {saveText(problem)}
            </Alert>
          )}
          <Group gap="sm">
            <GuardedButton
              type="submit"
              allowed={dirty}
              loading={direct.busy}
              reason={identity(($) => $.account.profile.clean)}
            >
              {identity(($) => $.account.profile.submit)}
            </GuardedButton>
            {dirty && (
              <>
                <Button variant="subtle" color="gray" onClick={data.reset}>
                  {identity(($) => $.account.discard)}
                </Button>
                <Badge color="gold">{t(($) => $.unsaved.title)}</Badge>
              </>
            )}
          </Group>
        </Stack>
      </form>
      <CodesDialog
        saves
        app={user?.twoFactor.app ?? false}
        opened={asking}
        onClose={() => setAsking(false)}
        title={title}
        hint={identity(($) => $.second.hint.email)}
        onSend={() => api.POST('/security-code', { body: { purpose: 'change-account-data' } })}
        onCodes={send}
      />
    </Section>
  );
}
