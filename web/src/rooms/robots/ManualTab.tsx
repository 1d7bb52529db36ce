import {
  Alert,
  Button,
  Card,
  Group,
  Skeleton,
  Stack,
  Switch,
  Table,
  Text,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, type Schemas } from '@/api/client';
import { serverNow } from '@/api/clock';
import { $api } from '@/api/hooks';
import { refetch } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { queryClient } from '@/api/queryClient';
import { configure, type Licence } from '@/live/licences';
import { useLiveEvent } from '@/live/live';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { Countdown } from '@/ui/Countdown';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { compare } from '@/ui/money';
import { plainList } from '@/ui/plainList';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useNow } from '@/ui/useNow';
import { useSubmit } from '@/ui/useSubmit';
import { When } from '@/ui/When';
import { type Offer, useOffers } from './offers';

type Desk = Schemas['ManualDesk'];
type Order = Schemas['ManualOrderView'];

const MINUTE = 60_000;

const DESK = '/trader/manual';

/** Whether its owner may operate is being asked for: an order is over. */
const isUnknown = ({ ready, refusal }: Desk) => !ready && refusal === null;

const isUnderWay = ({ state }: Order) => state === 'asked' || state === 'sent';

/** An order as last told: in its place, or on top when it is new. What is over does not begin again, and what has begun does not stand
 *  again; while one is under way there is no other. */
function showOrder(order: Order) {
  queryClient.setQueriesData<Desk>({ queryKey: ['get', DESK] }, (desk) => {
    if (!desk || desk.licence !== order.licence) return desk;
    const known = desk.orders.find(({ _id }) => _id === order._id);
    if (known && (!isUnderWay(known) || (known.begun && !order.begun))) return desk;
    const orders = known
      ? desk.orders.map((one) => (one === known ? order : one))
      : [order, ...desk.orders].slice(0, 10);
    // Until the desk has said what is next nothing stands in the way but that it is not known.
    return isUnderWay(order)
      ? { ...desk, orders, ready: false, refusal: 'manual.open', nextAt: null }
      : { ...desk, orders, refusal: desk.refusal === 'manual.open' ? null : desk.refusal };
  });
}

/** Shown at once; what comes of it follows as a fact. */
const operate = mutation({
  send: (wish: { licence: string; route?: string }, key) =>
    body(api.POST('/trader/manual', { params: { header: { 'Idempotency-Key': key } }, body: wish })),
  patch: showOrder,
  changes: [],
});

/** Taken back, unless the desk has begun it meanwhile. */
const takeBack = mutation({
  send: (id: string) => body(api.POST('/trader/manual/{id}/cancel', { params: { path: { id } } })),
  patch: showOrder,
  changes: [DESK],
  always: true,
});

/** One operation at a time by one's own hand: an order stands until its opportunity comes, for who presses is slower than the desk. */
export function ManualTab({ robot }: { robot: Licence }) {
  const { t } = useTranslation('robots');
  const errorText = useErrorText();
  const query = { params: { query: { licence: robot._id } } };
  const desk = $api.useQuery('get', DESK, query);
  const renew = () => void refetch(DESK);
  useLiveEvent('robot.manual', ({ order }) => {
    if (order.licence !== robot._id) return;
    showOrder(order);
    // Whose turn is over waits for the next: until when, and with how much, only the desk knows.
    if (!isUnderWay(order)) renew();
  });
  const failed = (failure: unknown) => {
    toast.danger(errorText(failure));
    renew();
  };
  const { busy, run } = useSubmit(
    (route: string | null, key) => operate({ licence: robot._id, ...(route !== null && { route }) }, key),
    undefined,
    failed,
  );
  const key = useSubmit(
    (manualKey: boolean) => configure({ licence: robot._id, manualKey }),
    undefined,
    failed,
  );

  if (desk.error)
    return <ErrorCard what={t(($) => $.manual.what)} error={desk.error} onRetry={desk.refetch} />;
  if (!desk.data) return <Skeleton h={260} radius="md" />;
  const open = desk.data.orders.find(isUnderWay);
  const { refusal } = desk.data;
  return (
    <Stack gap="lg">
      <Switch
        label={t(($) => $.manual.key)}
        description={robot.manualRevoked ? t(($) => $.manual.revoked) : t(($) => $.manual.keyHint)}
        checked={robot.manualKey}
        disabled={robot.manualRevoked || robot.state !== 'active'}
        onChange={(event) => void key.run(event.currentTarget.checked)}
      />
      {open ? (
        <Standing order={open} renew={renew} onFailed={failed} />
      ) : (
        <>
          <May desk={desk.data} renew={renew} />
          <div>
            <GuardedButton
              allowed={desk.data.ready}
              reason={refusal ? t(($) => $.manual.refusals[wordOf(refusal)]) : undefined}
              loading={busy || isUnknown(desk.data)}
              onClick={() => void run(null)}
            >
              {t(($) => $.manual.next)}
            </GuardedButton>
            <Text fz="sm" c="dimmed" mt={4}>
              {t(($) => $.manual.nextHint)}
            </Text>
          </div>
        </>
      )}
      <Done orders={desk.data.orders} />
      <Board desk={desk.data} busy={busy || open !== undefined} onOperate={(route) => void run(route)} />
    </Stack>
  );
}

interface StandingProps {
  order: Order;
  renew: () => void;
  onFailed: (failure: unknown) => void;
}

/** An order that waits for its opportunity: for which, for how long, and the way back. */
function Standing({ order, renew, onFailed }: StandingProps) {
  const { t } = useTranslation('robots');
  const { busy, run } = useSubmit((_: null) => takeBack(order._id), undefined, onFailed);
  return (
    <Alert color="blue" variant="light" role="status" data-standing={order._id}>
      <Text fz="sm" fw={600}>
        {order.route ?? t(($) => $.manual.any)}
      </Text>
      {order.begun ? (
        <Text fz="sm">{t(($) => $.manual.begun)}</Text>
      ) : (
        <Group justify="space-between" mt={4} gap="xs">
          <Text fz="sm" component="div">
            <span>{t(($) => $.manual.standing)}</span>{' '}
            <Countdown until={order.until} totalMs={MINUTE} onEnd={renew} />
          </Text>
          <Button size="xs" variant="default" loading={busy} onClick={() => void run(null)}>
            {t(($) => $.manual.cancel)}
          </Button>
        </Group>
      )}
    </Alert>
  );
}

/** Whether one may operate now, what it puts at risk, or why not and until when. */
function May({ desk, renew }: { desk: Desk; renew: () => unknown }) {
  const { t } = useTranslation('robots');
  if (isUnknown(desk)) return <Skeleton h={54} radius="md" />;
  if (desk.ready)
    return (
      <Alert color="gold" variant="light" role="note">
        <span>{t(($) => $.manual.risk)}</span> <Money value={desk.maximum} />
      </Alert>
    );
  return (
    <Alert color="gray" variant="light" role="status">
      <Text fz="sm" component="div">
        <span>{desk.refusal ? t(($) => $.manual.refusals[wordOf(desk.refusal ?? '')]) : null}</span>{' '}
        {desk.nextAt && <Countdown until={desk.nextAt} onEnd={() => void renew()} />}
      </Text>
    </Alert>
  );
}

const REFUSALS = [
  'key_off',
  'revoked',
  'no_topup',
  'limit_reached',
  'goal_reached',
  'paused',
  'not_allocated',
  'too_early',
  'wait',
  'desk_off',
  'maintenance',
  'open',
  'state',
  'excluded',
] as const;

function wordOf(code: string): (typeof REFUSALS)[number] | 'other' {
  const word = code.replace(/^[a-z_]+\./, '');
  return REFUSALS.find((one) => one === word) ?? 'other';
}

function Board({ desk, busy, onOperate }: { desk: Desk; busy: boolean; onOperate: (route: string) => void }) {
  const { t } = useTranslation('robots');
  const { percent, seconds } = useFormat();
  const phone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const offers = useOffers();
  const now = useNow(1000, serverNow);
  const left = desk.nextAt ? Math.ceil((new Date(desk.nextAt).getTime() - now) / 1000) : 0;
  // An order stands on the route: what is there now, however thin or gone, refuses none.
  const reason = () => {
    if (busy) return t(($) => $.manual.open);
    if (left > 0) return t(($) => $.manual.waits, { seconds: left });
    return desk.refusal ? t(($) => $.manual.refusals[wordOf(desk.refusal ?? '')]) : undefined;
  };
  const button = (offer: Offer, wide = false) => (
    <GuardedButton
      size={wide ? 'sm' : 'xs'}
      fullWidth={wide}
      allowed={desk.ready && reason() === undefined}
      reason={reason()}
      onClick={() => onOperate(offer.route)}
    >
      {t(($) => $.manual.operate)}
    </GuardedButton>
  );
  return (
    <section>
      <Title order={3} fz={15} mb="sm">
        {t(($) => $.manual.board)}
      </Title>
      {offers.length === 0 ? (
        <Card>
          <EmptyState title={t(($) => $.manual.none)} hint={t(($) => $.manual.noneHint)} />
        </Card>
      ) : phone ? (
        <Stack component="ul" gap="sm" {...plainList}>
          {offers.map((offer) => (
            <Card
              key={offer.route}
              component="li"
              withBorder
              p="sm"
              data-route={offer.route}
              opacity={offer.gone ? 0.6 : 1}
            >
              <Text fz="sm" fw={600}>
                {offer.route}
              </Text>
              <Below edge={offer.edge} least={desk.minimumEdge} />
              <Group justify="space-between" gap="xs" my={8} fz="sm">
                <span className="num">{percent(offer.edge, 4)}</span>
                <Money value={offer.size} />
                <span className="num">{seconds(offer.ageMs)}</span>
              </Group>
              {button(offer, true)}
            </Card>
          ))}
        </Stack>
      ) : (
        <Table.ScrollContainer
          minWidth={560}
          scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': t(($) => $.manual.board) } }}
        >
          <Table verticalSpacing="xs" aria-label={t(($) => $.manual.board)}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t(($) => $.manual.route)}</Table.Th>
                <Table.Th ta="right">{t(($) => $.manual.edge)}</Table.Th>
                <Table.Th ta="right">{t(($) => $.manual.size)}</Table.Th>
                <Table.Th ta="right">{t(($) => $.manual.age)}</Table.Th>
                <Table.Th>
                  <VisuallyHidden>{t(($) => $.manual.operate)}</VisuallyHidden>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {offers.map((offer) => (
                <Table.Tr key={offer.route} data-route={offer.route} opacity={offer.gone ? 0.6 : 1}>
                  <Table.Td fz="sm">
                    <div>{offer.route}</div>
                    <Below edge={offer.edge} least={desk.minimumEdge} />
                  </Table.Td>
                  <Table.Td ta="right" className="num">
                    {percent(offer.edge, 4)}
                  </Table.Td>
                  <Table.Td ta="right">
                    <Money value={offer.size} unit={false} />
                  </Table.Td>
                  <Table.Td ta="right" className="num">
                    {seconds(offer.ageMs)}
                  </Table.Td>
                  <Table.Td ta="right">{button(offer)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </section>
  );
}

/** That an opportunity is not for this robot, which takes none with less than its least edge. */
function Below({ edge, least }: { edge: string; least: string }) {
  const { t } = useTranslation('robots');
  const { percent } = useFormat();
  if (compare(edge, least) >= 0) return null;
  return (
    <Text fz="xs" c="dimmed">
      {t(($) => $.manual.below, { edge: percent(least, 4) })}
    </Text>
  );
}

/** What came of the latest orders, before what comes and goes below. */
function Done({ orders }: { orders: readonly Order[] }) {
  const { t } = useTranslation('robots');
  const [all, setAll] = useState(false);
  const shown = all ? orders : orders.slice(0, FEW);
  return (
    <section>
      <Title order={3} fz={15} mb="sm">
        {t(($) => $.manual.latest)}
      </Title>
      {orders.length === 0 && (
        <Text fz="sm" c="dimmed" mih={ROOM}>
          {t(($) => $.manual.noOrders)}
        </Text>
      )}
      <Stack component="ul" gap="xs" {...plainList} mih={orders.length > 0 ? ROOM : undefined}>
        {shown.map((order) => (
          <Group key={order._id} component="li" justify="space-between" gap="xs" data-order={order._id}>
            <div>
              <Text fz="sm">{order.route ?? t(($) => $.manual.any)}</Text>
              <Text fz="xs" c="dimmed" component="div">
                <When at={order.askedAt} /> {order.volume && <Money value={order.volume} />}{' '}
                <span>{outcome(order, t)}</span>
              </Text>
            </div>
            <Group gap="xs">
              {order.state === 'done' && order.result && <Money value={order.result} digits={4} sign />}
              {order.mode && <ModeBadge mode={order.mode} size="xs" />}
              <StatusBadge status={statusOf(order)} size="xs" />
            </Group>
          </Group>
        ))}
      </Stack>
      {orders.length > FEW && (
        <Button
          variant="subtle"
          size="compact-sm"
          mih={{ base: 44, sm: 26 }}
          mt="xs"
          aria-expanded={all}
          onClick={() => setAll((was) => !was)}
        >
          {all ? t(($) => $.manual.fewer) : t(($) => $.manual.more, { number: orders.length })}
        </Button>
      )}
    </section>
  );
}

const FEW = 3;
/** Kept for as many orders as are shown: what comes of one does not move the routes below it from under the pointer. */
const ROOM = 150;

function statusOf({ state, begun, unwound }: Order): string {
  if (state === 'asked' || state === 'sent') return begun ? 'operating' : 'waiting';
  if (state === 'done') return unwound ? 'unwound' : 'done';
  return 'canceled';
}

type Words = ReturnType<typeof useTranslation<'robots'>>['t'];

function outcome(order: Order, t: Words): string {
  if (order.state === 'nothing') return t(($) => $.manual.outcomes.nothing);
  if (order.state === 'done' && order.unwound) return t(($) => $.manual.outcomes.unwound);
  if (order.state !== 'refused') return '';
  return t(($) => $.manual.outcomes[order.reason ?? 'expired']);
}
