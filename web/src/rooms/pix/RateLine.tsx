import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/ui/format';
import { useNow } from '@/ui/useNow';

interface RateLineProps {
  rate: { rate: string; source: string; at?: string | null } | undefined;
  /** What else is to be said about it. */
  children?: ReactNode;
}

/** "1 USD = R$ 5,39, há 2 min": the rate with its age, or that it is the default. */
export function RateLine({ rate, children }: RateLineProps) {
  const { t } = useTranslation('pix');
  const format = useFormat();
  const now = useNow(20_000);
  if (!rate) return <Text fz="sm">&nbsp;</Text>;
  const price = `R$\u00a0${format.decimal(rate.rate, 4)}`;
  return (
    <div>
      <Text fz="sm" className="num" data-testid="rate">
        {rate.source === 'service' && rate.at
          ? t(($) => $.rate.service, { rate: price, age: format.ago(rate.at, now) })
          : t(($) => $.rate.default, { rate: price })}
      </Text>
      {children && (
        <Text fz="xs" c="dimmed">
          {children}
        </Text>
      )}
    </div>
  );
}
