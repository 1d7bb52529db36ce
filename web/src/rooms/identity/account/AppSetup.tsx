import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '@/api/client';
import { PasskeyInstead } from '@/shared/passkeys/PasskeyInstead';
import { useConfirmsByPasskey } from '@/shared/passkeys/useByPasskey';
import { QrPay } from '@/shared/payments/QrPay';
import { CodeInput, Resend } from '@/ui/CodeInput';
import { toast } from '@/ui/toast';
import { given, useSubmit } from '@/ui/useSubmit';
import { CurrentPassword } from '../CurrentPassword';
import { Problem } from '../Problem';

/** What the code beside the app's, or a passkey's word, is for. */
const CHANGE = { purpose: 'change-factor' } as const;

interface AppSetupProps {
  opened: boolean;
  /** E-mail codes are on, or there is a passkey: the change needs a passkey's word or a mailed code, for one factor is there now. */
  emailOn: boolean;
  onClose: () => void;
  onDone: (recoveryCodes?: readonly string[] | null) => Promise<unknown>;
}

/** Pairs an authenticator: password, QR and key, first code; the recovery codes come with the answer. */
export function AppSetup({ opened, onClose, ...rest }: AppSetupProps) {
  const { t } = useTranslation('identity');
  return (
    <Modal opened={opened} onClose={onClose} title={t(($) => $.account.app.title)} centered>
      {opened && <Pairing onClose={onClose} {...rest} />}
    </Modal>
  );
}

function Pairing({ emailOn, onClose, onDone }: Omit<AppSetupProps, 'opened'>) {
  const { t } = useTranslation('identity');
  const { t: common } = useTranslation();
  const byPasskey = useConfirmsByPasskey() && emailOn;
  // A passkey comes before a code that would be mailed.
  const [typing, setTyping] = useState(!byPasskey);
  const [password, setPassword] = useState('');
  const [pairing, setPairing] = useState<{ secret: string; url: string } | null>(null);
  const [code, setCode] = useState('');
  const [mailed, setMailed] = useState('');
  const [sentAt, setSentAt] = useState<number | null>(null);
  const { busy, failure, run, field, clear } = useSubmit(given);
  const refused = pairing ? undefined : field('password');
  const whole = code.length === 6 && (!emailOn || mailed.length === 6);

  const mail = async () => {
    await api.POST('/security-code', { body: CHANGE });
    setSentAt(Date.now());
  };
  const begin = () =>
    run(async () => {
      const answer = await body(api.POST('/setup-2fa', { body: { method: 'app', enable: true, password } }));
      if (emailOn && typing) await mail();
      setPairing({ secret: answer.secret ?? '', url: answer.otpauthUrl ?? '' });
    });
  const type = () =>
    run(async () => {
      await mail();
      setTyping(true);
    });
  const finish = async (app: string, securityCode: string) => {
    const done = await run(async () => {
      const answer = await body(
        api.POST('/setup-2fa', {
          body: { method: 'app', enable: true, password, code: app, ...(emailOn && { securityCode }) },
        }),
      );
      await onDone(answer.recoveryCodes);
    });
    if (!done) {
      setCode('');
      return;
    }
    toast.success(t(($) => $.account.factors.enabled));
    onClose();
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (pairing) {
          if (whole) void finish(code, mailed);
        } else if (password !== '') void begin();
      }}
    >
      <Stack>
        {pairing ? (
          <>
            <Text fz="sm" c="dimmed">
              {t(($) => $.account.app.scan)}
            </Text>
            <QrPay
              text={pairing.url}
              copy={pairing.secret}
              label={t(($) => $.account.app.qr)}
              copyLabel={t(($) => $.account.app.copy)}
              size={176}
            />
            <Text fz="sm">{t(($) => $.account.app.code)}</Text>
            <CodeInput
              value={code}
              onChange={setCode}
              onComplete={(value) => !emailOn && finish(value, '')}
              disabled={busy}
            />
            {byPasskey && (
              <PasskeyInstead
                asked={CHANGE}
                busy={busy || code.length !== 6}
                onProof={(proof) => finish(code, proof)}
              />
            )}
            {!typing && (
              <Anchor component="button" type="button" fz="sm" ta="left" onClick={() => void type()}>
                {common(($) => $.code.passkey.mail)}
              </Anchor>
            )}
            {emailOn && typing && (
              <>
                <Text fz="sm">{t(($) => $.account.app.mailed)}</Text>
                <CodeInput
                  value={mailed}
                  onChange={setMailed}
                  onComplete={(value) => code.length === 6 && finish(code, value)}
                  disabled={busy}
                  autoFocus={false}
                />
                <Resend sentAt={sentAt} onSend={() => run(mail)} />
              </>
            )}
          </>
        ) : (
          <CurrentPassword
            first
            value={password}
            onChange={(typed) => {
              clear();
              setPassword(typed);
            }}
            error={refused}
          />
        )}
        {failure && !refused && <Problem {...failure} />}
        {(!pairing || typing) && (
          <Group justify="flex-end">
            <Button type="submit" loading={busy} disabled={pairing ? !whole : password === ''}>
              {pairing ? t(($) => $.second.submit) : t(($) => $.register.next)}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}
