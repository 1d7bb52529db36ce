import { Card, Group, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { type Licence, useLicences } from '@/live/licences';
import { LimitGauge } from '@/shared/results/LimitGauge';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { ratio, subtract } from '@/ui/money';

const left = ({ limitLeft, maximumReturn }: Licence) => ratio(limitLeft, maximumReturn);

/** The active licence that is nearest to its ceiling. */
export function NextLimit() {
  const { t } = useTranslation('dashboard');
  const licences = Object.values(useLicences((book) => book.byId));
  const nearest = licences.filter(({ state }) => state === 'active').sort((a, b) => left(a) - left(b))[0];
  if (!nearest) return null;
  return (
    <Card component="section" aria-labelledby="next-limit">
      <Group justify="space-between" mb="sm">
        <Title order={2} fz={15} id="next-limit">
          {t(($) => $.limit.title)}
        </Title>
        <Text component={Link} to="/licences" fz="sm" c="var(--mantine-color-anchor)">
          {t(($) => $.licence, { number: nearest.number })}
        </Text>
      </Group>
      <LimitGauge
        label={t(($) => $.limit.label)}
        used={subtract(nearest.maximumReturn, nearest.limitLeft)}
        max={nearest.maximumReturn}
      />
    </Card>
  );
}

interface NextDatesProps {
  yieldDay: string | null;
  /** `undefined`: not known yet. */
  free: { day: string; amount: string } | null | undefined;
}

/** When yield may leave, and when capital becomes free. */
export function NextDates({ yieldDay, free }: NextDatesProps) {
  const { t } = useTranslation('dashboard');
  const { date } = useFormat();
  const lines = [
    { key: 'yield', text: t(($) => $.dates.yield), value: yieldDay ? date(yieldDay) : '–' },
    {
      key: 'capital',
      text: t(($) => $.dates.capital),
      value: free ? date(free.day) : free === null ? t(($) => $.dates.nothing) : '–',
    },
  ];
  return (
    <Card component="section" aria-labelledby="next-dates">
      <Title order={2} fz={15} mb="sm" id="next-dates">
        {t(($) => $.dates.title)}
      </Title>
      <Stack component="dl" gap="xs" m={0}>
        {lines.map(({ key, text, value }) => (
          <Group key={key} justify="space-between" wrap="nowrap" align="start">
            <Text component="dt" fz="sm" c="dimmed">
              {text}
            </Text>
            <Text component="dd" m={0} fz="sm" fw={600} className="num" ta="right">
              <span key={value}>{value}</span>
              {key === 'capital' && free && (
                <Text span display="block" fz={12.5} c="dimmed" fw={400}>
                  <Money value={free.amount} />
                </Text>
              )}
            </Text>
          </Group>
        ))}
      </Stack>
    </Card>
  );
}
