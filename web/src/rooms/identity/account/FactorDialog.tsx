import { Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api, body } from '@/api/client';
import type { Me } from '@/api/session';
import { toast } from '@/ui/toast';
import { PasswordThenCode } from './PasswordThenCode';

interface Change {
  method: 'email' | 'app';
  enable: boolean;
}

interface FactorDialogProps {
  /** Null while closed. */
  change: Change | null;
  factors: Me['twoFactor'];
  onClose: () => void;
  onDone: (recoveryCodes?: readonly string[] | null) => Promise<unknown>;
}

/** Switches a factor that needs no pairing: the password first, then a code of the factor that counts now. */
export function FactorDialog({ change, factors, onClose, onDone }: FactorDialogProps) {
  const { t } = useTranslation('identity');
  const title = change
    ? t(($) => (change.enable ? $.account.factors.enableLabel : $.account.factors.disableLabel), {
        factor: t(($) => $.account.factors[change.method].title),
      })
    : '';
  return (
    <Modal opened={change !== null} onClose={onClose} title={title} centered>
      {change && <FactorForm change={change} factors={factors} onClose={onClose} onDone={onDone} />}
    </Modal>
  );
}

function FactorForm({ change, factors, onClose, onDone }: FactorDialogProps & { change: Change }) {
  const { t } = useTranslation('identity');
  const { method, enable } = change;
  return (
    <PasswordThenCode
      byApp={factors.app}
      recovery={!enable}
      onConfirm={async (order) => {
        const answer = await body(api.POST('/setup-2fa', { body: { method, enable, ...order } }));
        await onDone(answer.recoveryCodes);
        toast.success(t(($) => (enable ? $.account.factors.enabled : $.account.factors.disabled)));
        onClose();
      }}
    />
  );
}
