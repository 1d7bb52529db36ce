import {
  Alert,
  Badge,
  Button,
  Card,
  Group,
  Menu,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Title,
} from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { configure, type Licence } from '@/live/licences';
import { LimitGauge } from '@/shared/results/LimitGauge';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { FlashValue } from '@/ui/FlashValue';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { isPositive, subtract } from '@/ui/money';
import { usePress } from '@/ui/usePress';
import { capitalOf } from './capital';
import { Dialogs } from './LoansTab';
import { cancelLicence, type Move } from './licences';
import { debtOf, owes } from './loans';
import { MoneyDialog } from './MoneyDialog';
import { ReceiptDialog, type ReceiptOf } from './Receipt';

interface LicenceCardProps {
  licence: Licence;
  /** The next day on which yield may leave, and whether it is today. */
  yieldDay: { open: boolean; next: string | undefined };
}

export function LicenceCard({ licence, yieldDay }: LicenceCardProps) {
  const { t } = useTranslation('licences');
  const [move, setMove] = useState<Move | null>(null);
  const [cancelling, setCancelling] = useState(false);
  const [loan, setLoan] = useState<'borrow' | 'repay' | null>(null);
  const [receipt, setReceipt] = useState<ReceiptOf | null>(null);
  const active = licence.state === 'active';
  const gained = subtract(licence.maximumReturn, licence.limitLeft);
  return (
    <Card component="article" aria-label={t(($) => $.name, { number: licence.number })}>
      <Group justify="space-between" align="start" wrap="nowrap" mb="md">
        <div>
          <Group gap={8}>
            <Title order={2} fz={17}>
              {t(($) => $.name, { number: licence.number })}
            </Title>
            <ModeBadge mode={licence.mode} size="xs" />
          </Group>
          <Group gap={8} mt={4}>
            <Text fz="sm" c="dimmed" component="div">
              <Money value={licence.value} />
            </Text>
            <Badge size="xs" color={licence.isHighRisk ? 'red' : 'gray'} variant="light">
              {licence.isHighRisk ? t(($) => $.highRisk) : t(($) => $.standard)}
            </Badge>
          </Group>
        </div>
        <StatusBadge status={licence.robotStatus} />
      </Group>
      <Stack gap="md">
        <LimitGauge
          label={t(($) => $.limitUsed)}
          used={capitalOf(licence)}
          max={licence.allocationLimit}
          good
        />
        <LimitGauge
          label={t(($) => $.maximumReturn)}
          used={isPositive(gained) ? gained : '0'}
          max={licence.maximumReturn}
        />
        <LimitGauge
          label={t(($) => $.networkCeiling)}
          used={licence.networkUsed}
          max={licence.networkCeiling}
        />
      </Stack>
      <SimpleGrid cols={3} spacing="xs" my="md">
        {(
          [
            ['topup', licence.topup],
            ['allocated', licence.allocated],
            ['yield', licence.yield],
          ] as const
        ).map(([label, value]) => (
          <div key={label}>
            <Text fz={12.5} c="dimmed">
              {t(($) => $[label])}
            </Text>
            <FlashValue value={value}>
              <Money value={value} unit={false} />
            </FlashValue>
          </div>
        ))}
      </SimpleGrid>
      {owes(licence) && (
        <Group justify="space-between" gap={8} mb="md" wrap="nowrap">
          <LimitGauge
            label={t(($) => $.loan.repaidShare)}
            used={subtract(licence.loanTaken, debtOf(licence))}
            max={licence.loanTaken}
            good
          />
          <GuardedButton variant="light" size="xs" allowed onClick={() => setLoan('repay')}>
            {t(($) => $.loan.repay)}
          </GuardedButton>
        </Group>
      )}
      {licence.stoppedByLoan && (
        <Alert color="gold" variant="light" mb="md" p="xs">
          {t(($) => $.loan.stopped)}
        </Alert>
      )}
      {active ? (
        <Running
          licence={licence}
          onMove={setMove}
          onBorrow={() => setLoan('borrow')}
          onCancel={() => setCancelling(true)}
        />
      ) : (
        <Over licence={licence} onMove={setMove} />
      )}
      {(active || isPositive(licence.yield)) && (
        <GuardedButton
          mt="xs"
          fullWidth
          variant="light"
          allowed={yieldDay.open && isPositive(licence.yield)}
          reason={yieldDay.open ? t(($) => $.noYield) : undefined}
          opensAt={yieldDay.open ? undefined : yieldDay.next}
          onClick={() => setMove('yield')}
        >
          {t(($) => $.moves.yield.confirm)}
        </GuardedButton>
      )}
      <MoneyDialog move={move} licence={licence} onClose={() => setMove(null)} onDone={setReceipt} />
      <Dialogs licence={licence} dialog={loan} setDialog={setLoan} setReceipt={setReceipt} />
      <ReceiptDialog receipt={receipt} onClose={() => setReceipt(null)} />
      <ConfirmDialog
        opened={cancelling}
        onClose={() => setCancelling(false)}
        title={t(($) => $.cancel.title, { number: licence.number })}
        facts={[
          { label: t(($) => $.price), value: <Money value={licence.price} /> },
          { label: t(($) => $.topup), value: <Money value={licence.topup} /> },
        ]}
        consequence={t(($) => $.cancel.consequence)}
        confirmLabel={t(($) => $.cancel.confirm)}
        danger
        onConfirm={async ({ idempotencyKey }) => {
          const { transfers } = await cancelLicence(licence._id, idempotencyKey);
          setReceipt({ title: t(($) => $.cancel.done), transfers });
        }}
      />
    </Card>
  );
}

interface ActionsProps {
  licence: Licence;
  onMove: (move: Move) => void;
}

interface RunningProps extends ActionsProps {
  onBorrow: () => void;
  onCancel: () => void;
}

/** What one does with a licence that runs. */
function Running({ licence, onMove, onBorrow, onCancel }: RunningProps) {
  const { t } = useTranslation('licences');
  const { run: switchManual } = usePress((manualKey: boolean) =>
    configure({ licence: licence._id, manualKey }),
  );
  return (
    <>
      <Switch
        label={t(($) => $.manual)}
        description={t(($) => $.manualHint)}
        checked={licence.manualKey}
        onChange={(event) => void switchManual(event.currentTarget.checked)}
        mb="md"
      />
      <Group gap="xs" grow>
        <GuardedButton allowed onClick={() => onMove('topup')}>
          {t(($) => $.moves.topup.confirm)}
        </GuardedButton>
        <GuardedButton
          variant="default"
          allowed={isPositive(licence.topup)}
          reason={t(($) => $.nothingToAllocate)}
          onClick={() => onMove('allocate')}
        >
          {t(($) => $.moves.allocate.confirm)}
        </GuardedButton>
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <Button variant="default" rightSection={<IconDots size={16} aria-hidden />}>
              {t(($) => $.more)}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item disabled={!isPositive(licence.allocated)} onClick={() => onMove('relocate')}>
              {t(($) => $.moves.relocate.confirm)}
            </Menu.Item>
            <Menu.Item disabled={!isPositive(licence.topup)} onClick={() => onMove('capital')}>
              {t(($) => $.moves.capital.confirm)}
            </Menu.Item>
            {!owes(licence) && <Menu.Item onClick={onBorrow}>{t(($) => $.loan.open)}</Menu.Item>}
            {licence.cancellableUntil && (
              <Menu.Item color="red" onClick={onCancel}>
                {t(($) => $.cancel.confirm)}
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      </Group>
    </>
  );
}

/** Nothing more is done with one that has ended: how it ended, and the way out for what is still in it. What an open operation holds
 *  comes back to the top-up by itself. */
function Over({ licence, onMove }: ActionsProps) {
  const { t } = useTranslation('licences');
  const { state } = licence;
  if (state === 'active') return null;
  const capital = isPositive(licence.topup);
  return (
    <>
      <Text fz="sm" c="dimmed">
        <span>{t(($) => $.over[state])}</span>
        {(capital || isPositive(licence.yield)) && <span>{` ${t(($) => $.over.yours)}`}</span>}
      </Text>
      {capital && (
        <GuardedButton mt="sm" fullWidth variant="default" allowed onClick={() => onMove('capital')}>
          {t(($) => $.moves.capital.confirm)}
        </GuardedButton>
      )}
    </>
  );
}
