import { Alert, Button, Modal, Stack, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { $api } from '@/api/hooks';
import { inFours } from '@/live/chain/address';
import { currencyOf, fromWei } from '@/live/chain/deposits';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { Countdown } from '@/ui/Countdown';
import { ErrorCard } from '@/ui/ErrorCard';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { useTerms } from './useTerms';
import { Value } from './Value';
import { confirmWithdrawal, readLink, type Withdrawal } from './withdrawals';

/** The mailed link's page: it shows what is asked for and changes nothing until its button is pressed. */
export function ConfirmByLink({ onConfirmed }: { onConfirmed: (withdrawal: Withdrawal) => void }) {
  const { t } = useTranslation('withdrawals');
  const { t: common } = useTranslation();
  const [params, setParams] = useSearchParams();
  const raw = params.get('confirm');
  const close = () => setParams((now) => without(now, 'confirm'), { replace: true });
  return (
    <Modal
      opened={raw !== null}
      onClose={close}
      title={t(($) => $.link.title)}
      centered
      closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
    >
      {raw !== null && <Question raw={raw} onClose={close} onConfirmed={onConfirmed} />}
    </Modal>
  );
}

function without(params: URLSearchParams, name: string): URLSearchParams {
  const next = new URLSearchParams(params);
  next.delete(name);
  return next;
}

interface QuestionProps {
  raw: string;
  onClose: () => void;
  onConfirmed: (withdrawal: Withdrawal) => void;
}

function Question({ raw, onClose, onConfirmed }: QuestionProps) {
  const { t } = useTranslation('withdrawals');
  const { t: common } = useTranslation();
  const errorText = useErrorText();
  const link = readLink(raw);
  const span = (useTerms().data?.linkMinutes ?? 0) * 60_000;
  const found = $api.useQuery(
    'get',
    '/withdraw/{id}',
    { params: { path: { id: link?.id ?? '' } } },
    { enabled: link !== null, retry: false },
  );
  const failed: unknown = found.error;
  // A refusal says that the link is behind: what it is for is looked at again.
  const renew = () => void found.refetch();
  const { busy, failure, run } = useSubmit(
    confirmWithdrawal,
    (confirmed) => {
      toast.success(t(($) => $.link.done));
      onClose();
      onConfirmed(confirmed);
    },
    renew,
  );
  if (!link || (failed && !found.data))
    return (
      <Stack gap="md">
        {link && !isMissing(failed) ? (
          <ErrorCard what={t(($) => $.link.what)} error={failed} onRetry={found.refetch} />
        ) : (
          <Alert color="red" variant="light" role="alert">
            {t(($) => $.link.bad)}
          </Alert>
        )}
        <Button variant="default" onClick={onClose}>
          {common(($) => $.actions.close)}
        </Button>
      </Stack>
    );
  const row = found.data;
  const waiting = row?.status === 'awaiting_email';
  return (
    <Stack gap="md">
      <Text fz="sm" c="dimmed">
        {t(($) => $.link.text)}
      </Text>
      {row && (
        <Table variant="vertical" layout="fixed">
          <Table.Tbody>
            {[
              [
                row.coin === 'pyx' ? t(($) => $.form.valuePyx) : t(($) => $.form.value),
                <Value key="v" of={row} />,
              ] as const,
              [t(($) => $.form.fee), <Money key="f" value={row.fee} digits={6} />] as const,
              [
                t(($) => $.form.receive),
                <Money key="r" value={fromWei(row.amount)} currency={currencyOf(row.coin)} digits={8} />,
              ] as const,
              [
                t(($) => $.form.address),
                <span key="a" className="num" translate="no">
                  {inFours(row.address)}
                </span>,
              ] as const,
              [t(($) => $.list.status), <StatusBadge key="s" status={row.status} />] as const,
            ].map(([label, value]) => (
              <Table.Tr key={label}>
                <Table.Th w="40%" fw={500} c="dimmed" bg="transparent">
                  {label}
                </Table.Th>
                <Table.Td ta="right" fw={600} style={{ overflowWrap: 'anywhere' }}>
                  {value}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {row && waiting && (
        <Text fz="sm" ta="center">
          <span>{t(($) => $.link.left)}</span>{' '}
          <Countdown until={row.expiresAt} totalMs={span} onEnd={renew} />
        </Text>
      )}
      {row && !waiting && (
        <Alert color="blue" variant="light" role="status">
          {t(($) => $.link.over)}
        </Alert>
      )}
      {failure && (
        <Alert color="red" variant="light" role="alert">
          {errorText(failure.error)}
        </Alert>
      )}
      <GuardedButton
        allowed={waiting}
        reason={row ? t(($) => $.link.over) : undefined}
        loading={busy}
        onClick={() => void run(link.token)}
      >
        {t(($) => $.link.confirm)}
      </GuardedButton>
    </Stack>
  );
}

const isMissing = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'request.not_found';
