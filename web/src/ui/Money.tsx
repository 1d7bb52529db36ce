import { Tooltip } from '@mantine/core';
import { IconArrowDownRight, IconArrowUpRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { type Digits, useFormat } from './format';
import classes from './Money.module.css';
import { isDecimal, isNegative, isZero } from './money';
import { usePrefs } from './prefs';

export type Currency = 'USDT' | 'BRL' | 'USD' | 'PYX' | 'BNB' | 'BUSD';

interface MoneyProps {
  /** A decimal string, as the server sends it. */
  value: string | null | undefined;
  currency?: Currency;
  /** 2 in tiles and forms, 4 in tables; the full value stands in the tooltip. */
  digits?: Digits;
  /** A change: sign, arrow and colour. */
  sign?: boolean;
  unit?: boolean;
  className?: string;
  /** Shows where it comes from: the amount can be pressed. */
  onOrigin?: () => void;
}

const FULL: Record<Currency, Digits> = { USDT: 6, BRL: 2, USD: 2, PYX: 6, BNB: 8, BUSD: 6 };

/** An amount: tabular, truncated and never rounded up, whole on hover or focus, dots while masked. */
export function Money({
  value,
  currency = 'USDT',
  digits = 2,
  sign = false,
  unit = true,
  className,
  onOrigin,
}: MoneyProps) {
  const { t } = useTranslation('lists');
  const format = useFormat();
  const masked = usePrefs((prefs) => prefs.masked);
  if (!isDecimal(value))
    return (
      <span className={classes.money} translate="no">
        –
      </span>
    );
  if (masked)
    return (
      <span className={`${classes.money} ${className ?? ''}`}>
        <span aria-hidden>••••</span>
        <span className="sr-only">{t(($) => $.money.masked)}</span>
      </span>
    );
  const before = currency === 'BRL' ? 'R$\u00a0' : currency === 'USD' ? 'US$\u00a0' : '';
  const after = before ? '' : currency;
  const full = `${before}${format.decimal(value, FULL[currency], sign)}${after && `\u00a0${after}`}`;
  const tone = !sign || isZero(value) ? undefined : isNegative(value) ? 'down' : 'up';
  const Arrow = tone === 'down' ? IconArrowDownRight : IconArrowUpRight;
  const shown = (
    <span
      className={`${classes.money} ${className ?? ''}`}
      translate="no"
      data-tone={tone}
      data-value={value}
    >
      {tone && <Arrow className={classes.arrow} size="0.95em" stroke={2.2} aria-hidden />}
      {before}
      {format.decimal(value, digits, sign)}
      {unit && after && <span className={classes.unit}>{`\u00a0${after}`}</span>}
    </span>
  );
  // What is already shown whole needs no tooltip (and no needless focus stop).
  const whole =
    digits >= FULL[currency] ? (
      shown
    ) : (
      <Tooltip label={full} openDelay={250} events={{ hover: true, focus: true, touch: true }}>
        {shown}
      </Tooltip>
    );
  if (!onOrigin) return whole;
  return (
    <button
      type="button"
      className={classes.origin}
      aria-description={t(($) => $.money.origin)}
      onClick={onOrigin}
    >
      {whole}
    </button>
  );
}
