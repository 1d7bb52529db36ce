import { Anchor, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { useCan } from '@/api/session';
import { MemberName } from '@/shared/network/MemberName';
import { useMemberName } from '@/shared/network/useMemberName';
import { PersonHandle, personPath } from '@/shared/people/PersonCell';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { isNegative, isPositive, isZero, subtract } from '@/ui/money';
import { plainList } from '@/ui/plainList';
import { BonusPath } from './BonusPath';
import { ANY_PLACEMENT, ANY_SALES, LEGS, type Leg, OWN_PLACEMENT, OWN_SALES } from './network';
import { useWords } from './words';

type Matched = Schemas['BonusMatch'];
type Sale = Schemas['BonusSale'];

interface BonusSalesProps {
  bonus: string;
  legs: Matched;
  staff: boolean;
  /** Shows the bonus of the match before. */
  onBefore: (bonus: string) => void;
}

/** What the points on both legs come from: what the match before left, and the sales since then. */
export function BonusSales({ bonus, legs, staff, onBefore }: BonusSalesProps) {
  return (
    <Stack gap="md" mt="sm">
      {LEGS.map((leg) => (
        <LegSales key={leg} bonus={bonus} leg={leg} legs={legs} staff={staff} onBefore={onBefore} />
      ))}
    </Stack>
  );
}

/** Days that are closed stay as they are. */
const ONCE = { staleTime: 'static' } as const;
const PAGES = {
  ...ONCE,
  pageParamName: 'after',
  initialPageParam: null,
  getNextPageParam: ({ next }: Schemas['BonusSales']) => next ?? null,
};

function LegSales({ bonus, leg, legs, staff, onBefore }: BonusSalesProps & { leg: Leg }) {
  const { t } = useTranslation('affiliates');
  const format = useFormat();
  const words = useWords();
  const init = { params: { path: { bonus }, query: { leg } } };
  const own = $api.useInfiniteQuery('get', OWN_SALES, init, { ...PAGES, enabled: !staff });
  const any = $api.useInfiniteQuery('get', ANY_SALES, init, { ...PAGES, enabled: staff });
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = staff ? any : own;
  const sales = data?.pages.flatMap((page) => page.data);
  const section = useRef<HTMLElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  /** How many stood there when more were asked for. */
  const asked = useRef<number | null>(null);
  // The button is locked while it loads, and gone with the last page: who pressed it goes on from there, or from the first row that came.
  useEffect(() => {
    const shown = asked.current;
    if (shown === null || isFetchingNextPage) return;
    asked.current = null;
    const { activeElement } = document;
    if (activeElement && activeElement !== document.body && activeElement !== button.current) return;
    const first = section.current?.querySelectorAll<HTMLElement>('[data-sale]')[shown];
    (hasNextPage ? button.current : (first ?? section.current))?.focus();
  }, [isFetchingNextPage, hasNextPage]);
  const through = data?.pages.at(-1)?.through;
  const [points, carried] =
    leg === 'left' ? [legs.leftPoints, legs.leftCarried] : [legs.rightPoints, legs.rightCarried];
  const kept = subtract(points, legs.matched);
  const name = words.leg(leg);
  return (
    <section aria-label={name} data-leg={leg} ref={section} tabIndex={-1}>
      <Title order={4} fz={13}>
        {t(($) => $.sales.leg, { leg: name, points: words.points(points) })}
      </Title>
      <Text fz="sm" c="dimmed" mt={2} component="div">
        <span>
          {legs.since
            ? t(($) => $.sales.since, {
                day: format.date(legs.since),
                carried: words.points(carried),
                sold: words.points(subtract(points, carried)),
              })
            : t(($) => $.sales.first)}
        </span>{' '}
        {legs.before && isPositive(carried) && (
          <Anchor component="button" type="button" fz="sm" onClick={() => onBefore(legs.before ?? '')}>
            {t(($) => $.sales.before)}
          </Anchor>
        )}
      </Text>
      <Text fz="sm" c="dimmed" mt={2}>
        {isZero(kept)
          ? t(($) => $.sales.all)
          : t(($) => $.sales.some, { matched: words.points(legs.matched), kept: words.points(kept) })}
      </Text>
      {!sales ? (
        error ? (
          <ErrorCard what={t(($) => $.sales.what)} error={error} onRetry={refetch} />
        ) : (
          <Skeleton h={64} mt={8} />
        )
      ) : (
        <>
          {sales.length > 0 ? (
            <Stack component="ul" gap={8} {...plainList} mt={8}>
              {sales.map((sale) => (
                <SaleRow key={sale.place} bonus={bonus} sale={sale} staff={staff} />
              ))}
            </Stack>
          ) : (
            !hasNextPage && (
              <Text fz="sm" mt={8}>
                {t(($) => $.sales.none)}
              </Text>
            )
          )}
          {hasNextPage && (
            <Group gap="sm" mt={8} justify="space-between">
              <Text fz="xs" c="dimmed">
                {through && t(($) => $.sales.through, { day: format.date(through) })}
              </Text>
              <Button
                ref={button}
                size="compact-sm"
                mih={{ base: 44, sm: 26 }}
                variant="default"
                loading={isFetchingNextPage}
                onClick={() => {
                  asked.current = sales.length;
                  void fetchNextPage();
                }}
              >
                {t(($) => $.sales.more)}
              </Button>
            </Group>
          )}
          {error && !isFetchingNextPage && (
            <ErrorCard what={t(($) => $.sales.what)} error={error} onRetry={fetchNextPage} />
          )}
        </>
      )}
    </section>
  );
}

interface SaleRowProps {
  bonus: string;
  sale: Sale;
  staff: boolean;
}

/** A sale, or what was taken back of one; its way from the receiver is asked for when it is opened. */
function SaleRow({ bonus, sale, staff }: SaleRowProps) {
  const { t } = useTranslation('affiliates');
  const format = useFormat();
  const words = useWords();
  const name = useMemberName();
  const views = useCan('customer-service_user-view');
  const [open, setOpen] = useState(false);
  return (
    <li tabIndex={-1} data-sale>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="start">
        <div style={{ minWidth: 0 }}>
          <Text fz="sm" fw={600} style={{ overflowWrap: 'anywhere' }} component="div">
            {staff ? (
              <PersonHandle id={sale.member} username={sale.username} />
            ) : (
              <Anchor
                component={Link}
                to={`/affiliate-network/binary-tree?at=${sale.member}`}
                fz="inherit"
                fw="inherit"
                c="inherit"
                underline="hover"
              >
                <MemberName username={sale.username} />
              </Anchor>
            )}
          </Text>
          <Text fz="xs" c="dimmed" component="div">
            <span>{format.date(sale.businessDay)}</span>
            {isNegative(sale.points) && <span>{` · ${t(($) => $.sales.takenBack)}`}</span>}
            {sale.licence && (
              <>
                {' · '}
                {views ? (
                  <Anchor
                    component={Link}
                    to={`${personPath(sale.member)}?tab=licences`}
                    fz="inherit"
                    display="inline-block"
                  >
                    {t(($) => $.sales.licence, { number: sale.licence.number })}
                  </Anchor>
                ) : (
                  <span>{t(($) => $.sales.licence, { number: sale.licence.number })}</span>
                )}
              </>
            )}
          </Text>
        </div>
        <Stack gap={2} align="end">
          <Text fz="sm" className="num" style={{ whiteSpace: 'nowrap' }}>
            {t(($) => $.bonus.pointsBase, { points: words.points(sale.points) })}
          </Text>
          <Button
            size="compact-xs"
            mih={{ base: 44, sm: 22 }}
            variant="subtle"
            aria-expanded={open}
            aria-label={t(($) => $.sales.pathTo, { name: name(sale.username) })}
            onClick={() => setOpen(!open)}
          >
            {t(($) => $.sales.path)}
          </Button>
        </Stack>
      </Group>
      {open && <Placement bonus={bonus} member={sale.member} staff={staff} />}
    </li>
  );
}

/** Down the binary tree, from who receives to who bought. */
function Placement({ bonus, member, staff }: { bonus: string; member: string; staff: boolean }) {
  const { t } = useTranslation('affiliates');
  const format = useFormat();
  const init = { params: { path: { bonus, member } } };
  const own = $api.useQuery('get', OWN_PLACEMENT, init, { ...ONCE, enabled: !staff });
  const any = $api.useQuery('get', ANY_PLACEMENT, init, { ...ONCE, enabled: staff });
  const { data, error, refetch } = staff ? any : own;
  if (error && !data) return <ErrorCard what={t(($) => $.sales.whatPath)} error={error} onRetry={refetch} />;
  if (!data) return <Skeleton h={22} />;
  return (
    <BonusPath
      label={t(($) => $.sales.placement)}
      names={data.path}
      last={data.last}
      {...(data.between > 0 && {
        between: t(($) => $.sales.between, { count: data.between, shown: format.count(data.between) }),
      })}
    />
  );
}
