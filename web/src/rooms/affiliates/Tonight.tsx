import { Alert, Card, SimpleGrid, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { FlashValue } from '@/ui/FlashValue';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { isPositive } from '@/ui/money';
import { rest } from './figures';
import type { Dashboard } from './network';
import { useWords } from './words';

/** What the next closing would bring if the day ended now. */
export function Tonight({ data }: { data: Dashboard }) {
  const { t } = useTranslation('affiliates');
  const format = useFormat();
  const words = useWords();
  const { tonight, left, right } = data;
  const { residualAsOf } = tonight;
  const kept = [rest(left, tonight.matched), rest(right, tonight.matched)] as const;
  const figures: { label: string; value: string; shown: ReactNode; hint?: string | undefined }[] = [
    {
      label: t(($) => $.tonight.matched),
      value: tonight.matched,
      shown: words.points(tonight.matched),
      hint: t(($) => $.tonight.rate, { percent: format.percent(tonight.percentage) }),
    },
    { label: t(($) => $.tonight.bonus), value: tonight.bonus, shown: <Money value={tonight.bonus} /> },
    ...(isPositive(tonight.residual) || isPositive(tonight.residualLost) || residualAsOf
      ? [
          {
            label: t(($) => $.tonight.residual),
            value: tonight.residual,
            shown: <Money value={tonight.residual} />,
            hint: [
              tonight.residualLostReason
                ? t(($) => $.tonight.residualLost, {
                    value: format.usdt(tonight.residualLost),
                    reason: words.lost(tonight.residualLostReason),
                  })
                : t(($) => $.tonight.residualHint),
              // With very many below, robots are ahead of the sums by seconds.
              residualAsOf && t(($) => $.tonight.residualAsOf, { at: format.time(residualAsOf, true) }),
            ]
              .filter(Boolean)
              .join(' · '),
          },
        ]
      : []),
    {
      label: t(($) => $.tonight.lost),
      value: tonight.pointsLost,
      shown: words.points(tonight.pointsLost),
      hint: tonight.lostReason ? words.lost(tonight.lostReason) : undefined,
    },
    {
      label: t(($) => $.tonight.kept),
      value: kept.join(),
      shown: `${words.points(kept[0])} | ${words.points(kept[1])}`,
      hint: t(($) => $.tonight.legs),
    },
  ];
  return (
    <Card component="section" aria-labelledby="tonight" h="100%">
      <Title order={2} fz={15} mb="sm" id="tonight">
        {t(($) => $.tonight.title)}
      </Title>
      <Text fz="sm" c="dimmed" mb="md">
        {t(($) => $.tonight.hint)}
      </Text>
      <SimpleGrid component="dl" cols={{ base: 2, md: 3, xl: 5 }} m={0} mb="md">
        {figures.map(({ label, value, shown, hint }) => (
          <div key={label}>
            <Text component="dt" fz={12.5} c="dimmed">
              {label}
            </Text>
            <Text component="dd" m={0} fz={{ base: 17, sm: 20 }} fw={650} className="num">
              <FlashValue value={value}>{shown}</FlashValue>
              {hint && (
                <Text span display="block" fz={12.5} fw={400} c="dimmed">
                  {hint}
                </Text>
              )}
            </Text>
          </div>
        ))}
      </SimpleGrid>
      {!tonight.binaryActive && (
        <Alert color="gold" variant="light" title={t(($) => $.tree.notQualified)} mb="sm">
          <ul style={{ margin: 0, paddingInlineStart: 18 }}>
            {tonight.binaryNeeds.map((need) => (
              <li key={need}>{words.need(need)}</li>
            ))}
          </ul>
        </Alert>
      )}
      {tonight.binaryActive && tonight.lostReason && isPositive(tonight.pointsLost) && (
        <Alert color="gold" variant="light" mb="sm">
          {words.cure(tonight.lostReason)}
        </Alert>
      )}
      <Text fz="sm" c="dimmed" component="div">
        <span>{t(($) => $.tonight.cap)}</span> <Money value={tonight.dailyCap} /> ·{' '}
        <span>{t(($) => $.tonight.ceiling)}</span> <Money value={tonight.ceilingLeft} />
      </Text>
    </Card>
  );
}
