import { Alert, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { StatTile } from '@/ui/StatTile';
import { When } from '@/ui/When';

type Summary = Schemas['FinancialSummary'];
/** Of the parts: below a drawer's title, or below a page's. */
type Heading = 2 | 3;

/** A person's money in sums of what is booked; `children` stands below. */
export function Finances({ id, heading, children }: { id: string; heading?: Heading; children?: ReactNode }) {
  return (
    <Summarised id={id}>
      {(sums) => (
        <Stack gap="lg">
          <Sums sums={sums} heading={heading} />
          {children}
        </Stack>
      )}
    </Summarised>
  );
}

function Summarised({ id, children }: { id: string; children: (sums: Summary) => ReactNode }) {
  const { t } = useTranslation('sponsorship');
  const summary = $api.useQuery('get', '/admin/user-financial-summary/{id}', { params: { path: { id } } });
  if (summary.data) return children(summary.data);
  if (summary.error)
    return <ErrorCard what={t(($) => $.summary.what)} error={summary.error} onRetry={summary.refetch} />;
  return (
    <Stack gap="md" role="status" aria-label={t(($) => $.summary.what)}>
      <Skeleton h={90} />
      <Skeleton h={180} />
      <Skeleton h={180} />
    </Stack>
  );
}

const ACCOUNTS = [
  'available',
  'held',
  'bonus',
  'sponsored',
  'debt',
  'poolPrincipal',
  'price',
  'topup',
  'allocated',
  'yield',
  'loan',
] as const;

/** What a person's money is called, as everywhere. */
const FIGURES = ['total', 'invested', 'sponsored', 'paidIn', 'takenOut', 'netPaidIn', 'result'] as const;

function Sums({ sums, heading }: { sums: Summary; heading: Heading | undefined }) {
  const { t } = useTranslation('sponsorship');
  const { count } = useFormat();
  const { user, figures, accounts, deposits, withdrawals, transfers, licences, bonus, movements } = sums;
  const method = (name: string) => t(($) => $.summary.methods[name as 'pix']);
  return (
    <Stack gap="lg">
      <Text fz="sm" c="dimmed" component="div">
        <span translate="no">@{user.username}</span> · <span>{user.email}</span> ·{' '}
        <When at={user.registeredAt} /> <StatusBadge status={user.status} size="sm" />
      </Text>
      <SimpleGrid cols={{ base: 2, sm: 3 }}>
        <StatTile
          label={t(($) => $.summary.figures.total)}
          value={<Money value={figures.total} />}
          hint={
            <>
              <span>{t(($) => $.summary.accounts.available)}</span> <Money value={figures.available} />
            </>
          }
        />
        <StatTile
          label={t(($) => $.summary.activeLicences)}
          value={<Money value={licences.activeValue} />}
          hint={count(licences.activeCount)}
        />
        <StatTile label={t(($) => $.summary.figures.result)} value={<Money value={figures.result} sign />} />
      </SimpleGrid>
      <Part
        heading={heading}
        title={t(($) => $.summary.flows)}
        head={[t(($) => $.summary.kind), t(($) => $.summary.value)]}
      >
        {FIGURES.map((name) => (
          <Line key={name} label={t(($) => $.summary.figures[name])}>
            <Money value={figures[name]} digits={6} sign={name === 'result'} />
          </Line>
        ))}
      </Part>
      <Part
        heading={heading}
        title={t(($) => $.summary.where)}
        head={[t(($) => $.summary.account), t(($) => $.summary.value)]}
      >
        {ACCOUNTS.map((name) => (
          <Line key={name} label={t(($) => $.summary.accounts[name])}>
            <Money value={accounts[name]} digits={6} />
          </Line>
        ))}
      </Part>
      <Part
        heading={heading}
        title={t(($) => $.summary.deposits)}
        head={[
          t(($) => $.summary.method),
          t(($) => $.summary.count),
          t(($) => $.summary.value),
          t(($) => $.summary.reversed),
        ]}
        none={deposits.length === 0}
      >
        {deposits.map((one) => (
          <Line key={one.method} label={method(one.method)}>
            <span>{count(one.count)}</span>
            <Money value={one.credited} digits={6} />
            <Money value={one.reversed} digits={6} />
          </Line>
        ))}
      </Part>
      <Part
        heading={heading}
        title={t(($) => $.summary.withdrawals)}
        head={[
          t(($) => $.summary.method),
          t(($) => $.summary.count),
          t(($) => $.summary.value),
          t(($) => $.summary.fee),
        ]}
        none={withdrawals.length === 0}
      >
        {withdrawals.map((one) => (
          <Line key={one.method} label={method(one.method)}>
            <span>{count(one.count)}</span>
            <Money value={one.value} digits={6} />
            <Money value={one.fee} digits={6} />
          </Line>
        ))}
      </Part>
      <Part
        heading={heading}
        title={t(($) => $.summary.others)}
        head={[t(($) => $.summary.kind), t(($) => $.summary.count), t(($) => $.summary.value)]}
      >
        <Line label={t(($) => $.summary.sent)}>
          <span>{count(transfers.sentCount)}</span>
          <Money value={transfers.sent} digits={6} />
        </Line>
        <Line label={t(($) => $.summary.received)}>
          <span>{count(transfers.receivedCount)}</span>
          <Money value={transfers.received} digits={6} />
        </Line>
        <Line label={t(($) => $.summary.allLicences)}>
          <span>{count(licences.count)}</span>
          <Money value={licences.value} digits={6} />
        </Line>
        <Line label={t(($) => $.summary.bonusReceived)}>
          <span>{count(bonus.count)}</span>
          <Money value={bonus.received} digits={6} />
        </Line>
        <Line label={t(($) => $.summary.bonusUsed)}>
          {''}
          <Money value={bonus.used} digits={6} />
        </Line>
      </Part>
      <MovementSums movements={movements} heading={heading} />
      <Alert color="gray" variant="light" role="note">
        {t(($) => $.summary.booked)}
      </Alert>
    </Stack>
  );
}

/** What was booked on somebody's accounts, by kind. */
export function Movements({ id }: { id: string }) {
  const { t } = useTranslation('sponsorship');
  return (
    <Summarised id={id}>
      {({ movements }) => (
        <Stack gap="lg">
          <MovementSums movements={movements} heading={2} />
          <Alert color="gray" variant="light" role="note">
            {t(($) => $.summary.booked)}
          </Alert>
        </Stack>
      )}
    </Summarised>
  );
}

function MovementSums({ movements, heading }: Pick<Summary, 'movements'> & { heading: Heading | undefined }) {
  const { t } = useTranslation('sponsorship');
  const { count } = useFormat();
  return (
    <Part
      heading={heading}
      title={t(($) => $.summary.movements)}
      head={[
        t(($) => $.summary.kind),
        t(($) => $.summary.count),
        t(($) => $.summary.credits),
        t(($) => $.summary.debits),
      ]}
      none={movements.length === 0}
    >
      {movements.map((one) => (
        <Line key={one.kind} label={t(($) => $.summary.kinds[one.kind as 'hold'])}>
          <span>{count(one.count)}</span>
          <Money value={one.credits} digits={6} />
          <Money value={one.debits} digits={6} />
        </Line>
      ))}
    </Part>
  );
}

interface PartProps {
  heading: Heading | undefined;
  title: string;
  head: readonly string[];
  none?: boolean;
  children: ReactNode;
}

function Part({ heading = 3, title, head, none = false, children }: PartProps) {
  const { t } = useTranslation('sponsorship');
  return (
    <Stack gap={6}>
      <Title order={heading} fz={15}>
        {title}
      </Title>
      {none ? (
        <Text fz="sm" c="dimmed">
          {t(($) => $.summary.none)}
        </Text>
      ) : (
        <Table.ScrollContainer
          minWidth={head.length > 2 ? 420 : 240}
          type="native"
          tabIndex={0}
          aria-label={title}
          role="region"
        >
          <Table verticalSpacing={6} aria-label={title}>
            <Table.Thead>
              <Table.Tr>
                {head.map((text, at) => (
                  <Table.Th key={text} ta={at === 0 ? 'left' : 'right'}>
                    {text}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>{children}</Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Stack>
  );
}

function Line({ label, children }: { label: string; children: ReactNode | ReactNode[] }) {
  const cells = Array.isArray(children) ? children : [children];
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {label}
      </Table.Th>
      {cells.map((cell, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the cells of a line never change places.
        <Table.Td key={at} ta="right" className="num">
          {cell}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
