import { Alert, Drawer, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { $api } from '@/api/hooks';
import { LastRow } from '@/shared/decisions/LastRow';
import { useMemberName } from '@/shared/network/useMemberName';
import { askOrigin } from '@/shared/origin/origin';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { CopyText } from '@/ui/CopyText';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { isPositive, isZero } from '@/ui/money';
import { Pairs } from '@/ui/Pairs';
import { plainList } from '@/ui/plainList';
import { When } from '@/ui/When';
import { BonusPath } from './BonusPath';
import { BonusResults } from './BonusResults';
import { BonusSales } from './BonusSales';
import { ANY_BONUS, type Bonus, type BonusDetail as Detail, OWN_BONUS } from './network';
import { Base, received, useBonusReason } from './useBonusColumns';
import { useWords } from './words';

interface BonusDrawerProps {
  /** The bonus that is open. */
  id: string | null;
  /** The list's rows: what is known of it is shown at once. */
  rows: readonly Bonus[] | undefined;
  /** Anybody's, for staff. */
  staff?: boolean;
  onClose: () => void;
}

/** Which bonus is open stands in the address: other screens lead to it. */
export function useOpenBonus() {
  const [search, setSearch] = useSearchParams();
  const open = (id: string | null) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (id === null) next.delete('bonus');
        else next.set('bonus', id);
        return next;
      },
      { replace: true },
    );
  return [search.get('bonus'), open] as const;
}

/** One bonus: what it comes from, by whom, the rule and its percentage at that time, what came of it and why. */
export function BonusDrawer({ id, rows, staff = false, onClose }: BonusDrawerProps) {
  const { t } = useTranslation('affiliates');
  return (
    <LastRow row={id}>
      {(shown, opened) => (
        <Drawer
          opened={opened}
          onClose={onClose}
          position="right"
          size="min(520px, 100%)"
          title={t(($) => $.bonus.one)}
        >
          <Content
            id={shown}
            known={rows?.find(({ _id }) => _id === shown)}
            staff={staff}
            onLeave={onClose}
          />
        </Drawer>
      )}
    </LastRow>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={3} fz={14} mb={6}>
        {title}
      </Title>
      {children}
    </section>
  );
}

interface ContentProps {
  id: string;
  known: Bonus | undefined;
  staff: boolean;
  onLeave: () => void;
}

function Content({ id, known, staff, onLeave }: ContentProps) {
  const { t } = useTranslation('affiliates');
  const init = { params: { path: { bonus: id } } };
  const own = $api.useQuery('get', OWN_BONUS, init, { enabled: !staff });
  const any = $api.useQuery('get', ANY_BONUS, init, { enabled: staff });
  const { data: detail, error, refetch } = staff ? any : own;
  // Facts change the row at once, the detail is asked for again.
  const bonus =
    known && detail && detail.bonus.version > known.version ? detail.bonus : (known ?? detail?.bonus);
  const failed = error && !detail && (
    <ErrorCard what={t(($) => $.bonus.whatOne)} error={error} onRetry={refetch} />
  );
  if (!bonus) return failed || <Skeleton h={360} radius="md" />;
  return (
    <Stack gap="lg">
      <Source bonus={bonus} detail={detail} staff={staff} />
      <Outcome bonus={bonus} detail={detail} />
      {failed ||
        (detail ? <Movements detail={detail} staff={staff} onLeave={onLeave} /> : <Skeleton h={90} />)}
    </Stack>
  );
}

/** What it comes from, down which path of sponsors, and the rule of then. */
function Source({ bonus, detail, staff }: { bonus: Bonus; detail: Detail | undefined; staff: boolean }) {
  const { t } = useTranslation('affiliates');
  const [, show] = useOpenBonus();
  const format = useFormat();
  const words = useWords();
  const name = useMemberName();
  const by = bonus.source ? name(bonus.source) : '–';
  const day = format.date(bonus.businessDay);
  const base = format.usdt(bonus.base, 6);
  const from = {
    level: t(($) => $.from.level, { by, base }),
    direct_sale: t(($) => $.from.direct_sale, { by, base }),
    indirect_sale: t(($) => $.from.indirect_sale, { by, base }),
    residual: t(($) => $.from.residual, { by, base, day }),
    binary: t(($) => $.from.binary, { points: words.points(bonus.base), day }),
  }[bonus.kind];
  const legs = detail?.legs;
  return (
    <>
      <Title order={2} fz={18}>
        {words.bonus(bonus)}
      </Title>
      <Section title={t(($) => $.bonus.comesFrom)}>
        <Text fz="sm">{from}</Text>
        {legs && (
          <Text fz="sm" c="dimmed" mt={4}>
            {t(($) => $.bonus.legs, {
              left: words.points(legs.leftPoints),
              right: words.points(legs.rightPoints),
              lost: words.points(legs.lost),
            })}
          </Text>
        )}
        {detail?.licence && (
          <Text fz="sm" c="dimmed" mt={4}>
            {t(($) => $.bonus.licence, {
              number: detail.licence.number,
              value: format.usdt(detail.licence.value),
            })}
          </Text>
        )}
        {detail && (
          <Text fz="sm" c="dimmed" mt={4} component="div">
            <span>{t(($) => $.bonus.caused)}</span> <When at={detail.causedAt} />
          </Text>
        )}
        {legs && <BonusSales key={bonus._id} bonus={bonus._id} legs={legs} staff={staff} onBefore={show} />}
      </Section>
      {detail?.results && (
        <Section title={t(($) => $.robots.title)}>
          <BonusResults results={detail.results} base={bonus.base} />
        </Section>
      )}
      {bonus.level > 0 && (
        <Section title={t(($) => $.bonus.path)}>
          {detail ? <BonusPath label={t(($) => $.bonus.path)} names={detail.path} /> : <Skeleton h={22} />}
        </Section>
      )}
      <Section title={t(($) => $.bonus.rule)}>
        <Text fz="sm" className="num" component="div">
          <span>{format.percent(bonus.percentage)}</span> × <Base row={bonus} digits={6} /> ={' '}
          <strong>
            <Money value={bonus.gross} digits={6} />
          </strong>
        </Text>
        <Text fz="sm" c="dimmed" mt={4}>
          <span>{t(($) => $.bonus.ruleThen, { day })}</span>
          {detail && <span>{` ${t(($) => $.bonus.settings, { version: detail.settingsVersion })}`}</span>}
        </Text>
      </Section>
    </>
  );
}

/** What became of it, where it stands, and its place in the fund's line. */
function Outcome({ bonus, detail }: { bonus: Bonus; detail: Detail | undefined }) {
  const { t } = useTranslation('affiliates');
  const format = useFormat();
  const name = useMemberName();
  const words = useWords();
  const why = useBonusReason()(bonus);
  const amounts = (
    [
      ['gross', bonus.gross],
      ['received', received(bonus)],
      ['waiting', bonus.waiting],
      ['missed', bonus.lost],
      ['dropped', bonus.dropped],
      ['returned', bonus.returned],
    ] as const
  ).filter(([name, value]) => name === 'gross' || name === 'received' || isPositive(value));
  const line = isPositive(bonus.waiting) ? detail?.line : null;
  return (
    <>
      <Section title={t(($) => $.bonus.amounts)}>
        <Pairs
          columns={amounts.map(([name, value]) => ({
            key: name,
            label: name === 'gross' ? t(($) => $.bonus.value) : t(($) => $.bonus[name]),
            render: () => <Money value={value} digits={6} />,
          }))}
          row={bonus}
        />
      </Section>
      <Section title={t(($) => $.status)}>
        <Stack gap={8} align="start">
          <StatusBadge status={bonus.status} />
          {why && <Text fz="sm">{why}</Text>}
          {line && (
            <Text fz="sm">
              {line.place === 1
                ? t(($) => $.bonus.next)
                : t(($) => $.bonus.place, {
                    place: format.count(line.place),
                    ahead: format.usdt(line.ahead, 4),
                  })}
            </Text>
          )}
          {bonus.lostReason && (
            <Alert color="gold" variant="light" w="100%">
              {words.cure(bonus.lostReason)}
            </Alert>
          )}
          {detail && (
            <Text fz="sm" c="dimmed">
              {t(($) => $.bonus.goesTo, { name: name(detail.username) })}
            </Text>
          )}
          <Text fz="sm" c="dimmed" component="div">
            <span>{t(($) => $.bonus.booked)}</span> <When at={bonus.created_at} />
          </Text>
        </Stack>
      </Section>
    </>
  );
}

/** The movements of the books; one's own lead to all that they did. */
function Movements({ detail, staff, onLeave }: { detail: Detail; staff: boolean; onLeave: () => void }) {
  const { t } = useTranslation('affiliates');
  return (
    <Section title={t(($) => $.bonus.movements)}>
      {detail.movements.length === 0 ? (
        <Text fz="sm" c="dimmed">
          {isZero(detail.bonus.waiting) ? t(($) => $.bonus.noMovement) : t(($) => $.bonus.notYet)}
        </Text>
      ) : (
        <Stack gap={8} component="ul" {...plainList}>
          {detail.movements.map((movement) => (
            <li key={`${movement.transfer}${movement.kind}`}>
              <Group justify="space-between" gap="xs" wrap="nowrap">
                <Text fz="sm" component="div">
                  <When at={movement.at} />
                  {movement.together && (
                    <Text span fz="xs" c="dimmed" display="block">
                      {t(($) => $.bonus.together)}
                    </Text>
                  )}
                </Text>
                <Group gap={6} wrap="nowrap">
                  <Money
                    value={movement.amount}
                    digits={6}
                    sign
                    {...(!staff && {
                      onOrigin: () => {
                        onLeave();
                        askOrigin({ transfer: movement.transfer })();
                      },
                    })}
                  />
                  <CopyText value={movement.transfer} label={t(($) => $.bonus.movement)} />
                </Group>
              </Group>
            </li>
          ))}
        </Stack>
      )}
    </Section>
  );
}
