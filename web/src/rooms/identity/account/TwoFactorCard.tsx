import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconDeviceMobile, IconMail } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Me, reloadUser } from '@/api/session';
import { Section } from '@/ui/Section';
import { AppSetup } from './AppSetup';
import { FactorDialog } from './FactorDialog';
import { RecoveryCodes } from './RecoveryCodes';

type Method = 'email' | 'app';
const METHODS = [
  ['email', IconMail],
  ['app', IconDeviceMobile],
] as const;

/** Both second factors: what is on, and how to change it (with the password and a current factor). */
export function TwoFactorCard({ user }: { user: Me }) {
  const { t } = useTranslation('identity');
  const [changing, setChanging] = useState<{ method: Method; enable: boolean } | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const done = async (recoveryCodes?: readonly string[] | null) => {
    if (recoveryCodes && recoveryCodes.length > 0) setCodes(recoveryCodes);
    await reloadUser().catch(() => {});
  };
  const close = () => setChanging(null);
  return (
    <Section title={t(($) => $.account.factors.title)} hint={t(($) => $.account.factors.hint)}>
      <Stack gap="md">
        {METHODS.map(([method, Icon]) => {
          const on = user.twoFactor[method];
          return (
            <Group key={method} justify="space-between" wrap="nowrap" gap="md">
              <Group gap="md" wrap="nowrap" miw={0}>
                <Icon size={22} stroke={1.6} aria-hidden style={{ flex: 'none' }} />
                <div>
                  <Group gap={8}>
                    <Text fw={600} fz="sm">
                      {t(($) => $.account.factors[method].title)}
                    </Text>
                    <Badge color={on ? 'mint' : 'gray'} size="sm">
                      {on ? t(($) => $.account.factors.on) : t(($) => $.account.factors.off)}
                    </Badge>
                  </Group>
                  <Text fz="sm" c="dimmed">
                    {t(($) => $.account.factors[method].hint)}
                  </Text>
                </div>
              </Group>
              <Button
                variant={on ? 'default' : 'light'}
                size="sm"
                style={{ flex: 'none' }}
                aria-label={t(($) => (on ? $.account.factors.disableLabel : $.account.factors.enableLabel), {
                  factor: t(($) => $.account.factors[method].title),
                })}
                onClick={() => setChanging({ method, enable: !on })}
              >
                {on ? t(($) => $.account.factors.disable) : t(($) => $.account.factors.enable)}
              </Button>
            </Group>
          );
        })}
      </Stack>
      <AppSetup
        opened={changing?.method === 'app' && changing.enable}
        emailOn={user.twoFactor.email || user.twoFactor.passkey}
        onClose={close}
        onDone={done}
      />
      <FactorDialog
        change={changing && !(changing.method === 'app' && changing.enable) ? changing : null}
        factors={user.twoFactor}
        onClose={close}
        onDone={done}
      />
      <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />
    </Section>
  );
}
