import { Alert, Anchor, Button, Card, Drawer, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { currencyOf, fromWei } from '@/live/chain/deposits';
import { type ActivityEvent, EventAmount, EventName, EventState } from '@/shared/activity/event';
import { useBonusName } from '@/shared/network/bonusKinds';
import { MemberName } from '@/shared/network/MemberName';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { CopyText } from '@/ui/CopyText';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { type Currency, Money } from '@/ui/Money';
import { useOpensAfter } from '@/ui/useOpensAfter';
import { When } from '@/ui/When';
import classes from './OriginDrawer.module.css';
import { type OriginAsk, useOrigin } from './origin';

type Row = Schemas['StatementRow'];
type Fact = Schemas['OriginFact'];
type Kind = keyof typeof import('@/i18n/pt/statement.json')['kinds'];
type Account = keyof typeof import('@/i18n/pt/statement.json')['accounts'];

const NEWEST = 10;

/** "De onde vem este valor?": from an amount on the screen to its movements, and from a movement to the fact behind it. */
export default function OriginDrawer() {
  const { t } = useTranslation('statement');
  const { t: common } = useTranslation();
  const { ask, close } = useOrigin();
  // What is fading out keeps what it shows.
  const [shown, setShown] = useState<OriginAsk | null>(ask);
  const [chosen, setChosen] = useState<string | null>(null);
  const opened = useOpensAfter(ask !== null);
  useEffect(() => {
    if (!ask) return;
    setShown(ask);
    setChosen(null);
  }, [ask]);
  const alone = shown?.event?.transfers.length === 1 ? shown.event.transfers[0] : undefined;
  const transfer = chosen ?? shown?.transfer ?? alone ?? null;
  const listed = shown?.transfer === undefined && alone === undefined;
  return (
    <Drawer
      opened={opened}
      onClose={close}
      position="right"
      size="min(560px, 100%)"
      title={
        <Title order={2} fz={18}>
          {t(($) => $.origin.title)}
        </Title>
      }
      closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
    >
      {shown &&
        (transfer === null ? (
          shown.event ? (
            <OfEvent event={shown.event} onChoose={setChosen} onLeave={close} />
          ) : (
            <Newest ask={shown} onChoose={setChosen} onLeave={close} />
          )
        ) : (
          <Stack gap="md">
            {listed && (
              <Button
                variant="subtle"
                size="compact-sm"
                w="fit-content"
                leftSection={<IconArrowLeft size={16} aria-hidden />}
                onClick={() => setChosen(null)}
              >
                {t(($) => $.origin.back)}
              </Button>
            )}
            <Movement transfer={transfer} onLeave={close} />
          </Stack>
        ))}
    </Drawer>
  );
}

function useAccountName() {
  const { t } = useTranslation('statement');
  return (account: string, licence: number | null | undefined) =>
    `${t(($) => $.accounts[account as Account])}${licence == null ? '' : ` #${licence}`}`;
}

/** An event in its person's words, and what the books did for it. */
function OfEvent({
  event,
  onChoose,
  onLeave,
}: {
  event: ActivityEvent;
  onChoose: (transfer: string) => void;
  onLeave: () => void;
}) {
  const { t } = useTranslation('statement');
  const format = useFormat();
  const day = event._id.split(':').at(-1) ?? '';
  const results = event.kind === 'robot_results';
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs" wrap="nowrap" align="start">
        <div>
          <Group gap={8}>
            <Title order={3} fz={16}>
              <EventName event={event} />
            </Title>
            {event.mode && <ModeBadge mode={event.mode} size="xs" />}
          </Group>
          <Text fz="sm" c="dimmed" component="div">
            {results ? <span>{format.date(day)}</span> : <When at={event.at} />}
            <EventState state={event.state} />
          </Text>
        </div>
        <Text fw={600} component="span">
          <EventAmount event={event} />
        </Text>
      </Group>
      <section>
        <Text fz="sm" c="dimmed" mb={6}>
          {t(($) => $.origin.movements, { count: event.movements })}
        </Text>
        {results ? (
          <Anchor
            component={Link}
            to={`/customer/extrato?${new URLSearchParams({ kind: 'settlement', startDate: day, endDate: day })}`}
            onClick={onLeave}
            fz="sm"
          >
            {t(($) => $.origin.ledger)}
          </Anchor>
        ) : (
          <ul className={classes.list}>
            {event.transfers.map((transfer) => (
              <li key={transfer}>
                <Booked transfer={transfer} onChoose={onChoose} />
              </li>
            ))}
          </ul>
        )}
      </section>
    </Stack>
  );
}

/** One of an event's movements, in the books' words. */
function Booked({ transfer, onChoose }: { transfer: string; onChoose: (transfer: string) => void }) {
  const { t } = useTranslation('statement');
  const origin = $api.useQuery('get', '/statement/{transfer}', { params: { path: { transfer } } });
  const { data } = origin;
  if (origin.error && !data)
    return <ErrorCard what={t(($) => $.origin.what)} error={origin.error} onRetry={origin.refetch} />;
  if (!data) return <Skeleton h={52} radius="md" />;
  return (
    <button type="button" className={classes.row} onClick={() => onChoose(transfer)}>
      <span>
        <span className={classes.kind}>{t(($) => $.kinds[data.kind as Kind])}</span>
        <span className={classes.dim}>
          <When at={data.at} />
        </span>
      </span>
      <EventAmount event={data.event} />
    </button>
  );
}

/** The newest movements of an account; each leads to its origin. */
function Newest({
  ask,
  onChoose,
  onLeave,
}: {
  ask: OriginAsk;
  onChoose: (transfer: string) => void;
  onLeave: () => void;
}) {
  const { t } = useTranslation('statement');
  const account = useAccountName();
  const filter = { ...(ask.account && { account: ask.account }), ...(ask.kind && { kind: ask.kind }) };
  const list = $api.useQuery('get', '/statement', { params: { query: { limit: NEWEST, ...filter } } });
  if (list.error && !list.data)
    return <ErrorCard what={t(($) => $.origin.what)} error={list.error} onRetry={list.refetch} />;
  if (!list.data)
    return (
      <Stack gap={8}>
        {Array.from({ length: 5 }, (_, n) => (
          <Skeleton key={String(n)} h={52} radius="md" />
        ))}
      </Stack>
    );
  const signed = (row: Row) => row.credit ?? (row.debit ? `-${row.debit}` : '0');
  if (list.data.data.length === 0) return <EmptyState title={t(($) => $.origin.none)} />;
  return (
    <Stack gap="md">
      <Text fz="sm" c="dimmed">
        {t(($) => $.origin.last)}
      </Text>
      <ul className={classes.list}>
        {list.data.data.map((row) => (
          <li key={row._id}>
            <button type="button" className={classes.row} onClick={() => onChoose(row.transfer)}>
              <span>
                <span className={classes.kind}>
                  <span>{t(($) => $.kinds[row.kind as Kind])}</span>
                  {row.mode && <ModeBadge mode={row.mode} size="xs" />}
                </span>
                <span className={classes.dim}>
                  <span>{account(row.account, row.licence)}</span> · <When at={row.at} />
                </span>
              </span>
              <Money value={signed(row)} currency={list.data.currency as Currency} digits={4} sign />
            </button>
          </li>
        ))}
      </ul>
      <Anchor
        component={Link}
        to={`/customer/extrato?${new URLSearchParams(filter).toString()}`}
        onClick={onLeave}
        fz="sm"
      >
        {t(($) => $.origin.all)}
      </Anchor>
    </Stack>
  );
}

/** One movement: what it did to one's accounts, and the fact behind it. */
function Movement({ transfer, onLeave }: { transfer: string; onLeave: () => void }) {
  const { t } = useTranslation('statement');
  const account = useAccountName();
  const format = useFormat();
  const origin = $api.useQuery('get', '/statement/{transfer}', { params: { path: { transfer } } });
  const { data } = origin;
  if (origin.error && !data)
    return <ErrorCard what={t(($) => $.origin.what)} error={origin.error} onRetry={origin.refetch} />;
  if (!data) return <Skeleton h={220} radius="md" />;
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <Group gap={8}>
          <Title order={3} fz={16}>
            {t(($) => $.kinds[data.kind as Kind])}
          </Title>
          {data.mode && <ModeBadge mode={data.mode} size="xs" />}
        </Group>
        <Text span fz="sm" c="dimmed">
          <When at={data.at} />
        </Text>
      </Group>
      {(data.reverses ?? data.reversedBy) && (
        <Alert color="gold" variant="light">
          {data.reverses ? t(($) => $.origin.reverses) : t(($) => $.origin.reversedBy)}
        </Alert>
      )}
      <section>
        <Text fz="sm" c="dimmed" mb={6}>
          {t(($) => $.origin.accounts)}
        </Text>
        <ul className={classes.list}>
          {data.postings.map((posting, line) => (
            <li key={String(line)} className={classes.posting}>
              <span>
                <span>{account(posting.account, posting.licence)}</span>
                <span className={classes.dim}>
                  {t(($) => $.origin.balanceAfter, {
                    value: `${format.decimal(posting.balance, 6)} ${posting.currency}`,
                  })}
                </span>
              </span>
              <Money value={posting.amount} currency={posting.currency as Currency} digits={6} sign />
            </li>
          ))}
        </ul>
      </section>
      <section>
        <Text fz="sm" c="dimmed" mb={6}>
          {t(($) => $.origin.fact)}
        </Text>
        <FactCard fact={data.fact} onLeave={onLeave} />
      </section>
      <Group gap={6} wrap="nowrap">
        <Text fz="xs" c="dimmed">
          {t(($) => $.origin.reference)}
        </Text>
        <Text fz="xs" className={classes.code}>
          {data.transfer}
        </Text>
        <CopyText value={data.transfer} label={t(($) => $.origin.reference)} />
      </Group>
    </Stack>
  );
}

function FactCard({ fact, onLeave }: { fact: Fact; onLeave: () => void }) {
  const format = useFormat();
  const { t } = useTranslation('statement');
  switch (fact.type) {
    case 'operations':
      return <Operations fact={fact} />;
    case 'pix_deposit':
    case 'pix_withdrawal':
      return (
        <Facts
          rows={[
            [t(($) => $.origin.brl), <Money key="brl" value={fact.brl} currency="BRL" />],
            [t(($) => $.origin.endToEndId), fact.endToEndId && <Code key="id" value={fact.endToEndId} />],
          ]}
        />
      );
    case 'crypto_deposit':
      return (
        <Facts
          rows={[
            [
              t(($) => $.origin.coin),
              fact.coin && (
                <Money key="coin" value={fromWei(fact.wei)} currency={currencyOf(fact.coin)} digits={6} />
              ),
            ],
            [t(($) => $.origin.address), <Code key="address" value={fact.address} />],
            [t(($) => $.origin.hash), fact.hash && <Code key="hash" value={fact.hash} />],
          ]}
        />
      );
    case 'transfer':
      return (
        <Facts
          rows={[
            [t(($) => $.origin.from), <MemberName key="from" username={fact.from} />],
            [t(($) => $.origin.to), <MemberName key="to" username={fact.to} />],
            [t(($) => $.origin.value), <Money key="value" value={fact.usdt} digits={6} />],
            [t(($) => $.origin.fee), <Money key="fee" value={fact.fee} digits={6} />],
          ]}
        />
      );
    case 'licence':
      return (
        <Facts
          rows={[
            [t(($) => $.origin.licence), `#${fact.number}`],
            [t(($) => $.origin.value), <Money key="value" value={fact.value} />],
          ]}
        />
      );
    case 'pool':
      return (
        <Facts
          rows={[
            [t(($) => $.origin.pool), fact.pool],
            [t(($) => $.origin.value), <Money key="value" value={fact.value} />],
            [t(($) => $.origin.until), format.date(fact.lastDay)],
          ]}
        />
      );
    case 'bonuses':
      return <Bonuses fact={fact} onLeave={onLeave} />;
    case 'sponsorship':
      return <Text fz="sm">{t(($) => $.origin.sponsorship)}</Text>;
    case 'movement':
      return <Text fz="sm">{t(($) => $.origin.movement)}</Text>;
  }
}

function Code({ value }: { value: string }) {
  const { t } = useTranslation('statement');
  return (
    <span className={classes.copy}>
      <span className={classes.code} translate="no">
        {value}
      </span>
      <CopyText value={value} label={t(($) => $.origin.reference)} />
    </span>
  );
}

function Facts({ rows }: { rows: [string, React.ReactNode][] }) {
  return (
    <dl className={classes.facts}>
      {rows.map(
        ([label, value]) =>
          value && (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** The desk's operations with every leg: venue, price, quantity. */
function Operations({ fact }: { fact: Extract<Fact, { type: 'operations' }> }) {
  const { t } = useTranslation('statement');
  const { t: robots } = useTranslation('robots');
  const format = useFormat();
  return (
    <Stack gap="xs">
      <Text fz="sm">{t(($) => $.origin.operations, { count: fact.total })}</Text>
      {fact.operations.map((operation) => (
        <Card key={operation._id} p="sm">
          <Group justify="space-between" wrap="nowrap" align="start">
            <Text fz="sm">{operation.route}</Text>
            <Money value={operation.result} digits={6} sign />
          </Group>
          {operation.legs.map((leg) => (
            <Text key={`${leg.venue}${leg.symbol}${leg.side}`} fz="xs" c="dimmed" className="num">
              {`${robots(($) => $.side[leg.side === 'buy' ? 'buy' : 'sell'])} ${format.exact(leg.quantity)} ${leg.symbol} @ ${format.exact(leg.price)} (${leg.venue})`}
            </Text>
          ))}
        </Card>
      ))}
      {fact.total > fact.operations.length && (
        <Text fz="xs" c="dimmed">
          {t(($) => $.origin.more, { shown: fact.operations.length, count: fact.total })}
        </Text>
      )}
    </Stack>
  );
}

/** The bonuses that a movement paid, or took of back; each leads to all that it follows from. */
function Bonuses({ fact, onLeave }: { fact: Extract<Fact, { type: 'bonuses' }>; onLeave: () => void }) {
  const { t } = useTranslation('statement');
  const format = useFormat();
  const name = useBonusName();
  return (
    <Stack gap="xs">
      {fact.businessDay && (
        <Text fz="sm">{t(($) => $.origin.closing, { day: format.date(fact.businessDay) })}</Text>
      )}
      <ul className={classes.list}>
        {fact.bonuses.map((bonus) => (
          <li key={bonus._id}>
            <Link
              to={`/affiliate-network/bonus-report?bonus=${bonus._id}`}
              className={classes.row}
              style={{ textDecoration: 'none' }}
              onClick={onLeave}
            >
              <span>
                <span>{name(bonus)}</span>
                {bonus.source && (
                  <span className={classes.dim}>
                    <MemberName username={bonus.source} />
                  </span>
                )}
              </span>
              <span className="num">
                <span>{format.percent(bonus.percentage)}</span> · <Money value={bonus.gross} digits={6} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {fact.total > fact.bonuses.length && (
        <Text fz="xs" c="dimmed">
          {t(($) => $.origin.more, { shown: fact.bonuses.length, count: fact.total })}
        </Text>
      )}
    </Stack>
  );
}
