import { useMantineColorScheme } from '@mantine/core';
import {
  AreaSeries,
  createChart,
  type IChartApi,
  type ISeriesApi,
  type UTCTimestamp,
} from 'lightweight-charts';
import { useEffect, useRef } from 'react';
import { formatDecimal, formatTime, useFormat } from './format';
import classes from './TickChart.module.css';

export interface Point {
  /** Seconds since the Unix epoch. */
  time: number;
  value: number;
}

interface TickChartProps {
  label: string;
  points: readonly Point[];
  height?: number;
}

const COLORS = {
  dark: { text: '#9aa6b2', grid: 'rgba(255,255,255,0.06)', line: '#34d399' },
  light: { text: '#52606d', grid: 'rgba(0,0,0,0.07)', line: '#0f9d6c' },
};

/** Money on screen is cut, never rounded up, and a chart says what its tile does. Six decimals are all that a price has. */
const cut = (price: number) => (Math.trunc(Number((price * 1e4).toFixed(2))) / 1e4).toFixed(4);

/** A line that ticks: drawn outside of React, new points are appended. Its own attribution mark writes a style tag that our
 *  policy blocks, so the attribution (licence) is a link of ours. */
export function TickChart({ label, points, height = 220 }: TickChartProps) {
  const { colorScheme } = useMantineColorScheme();
  const { tag, zone } = useFormat();
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<IChartApi | null>(null);
  const series = useRef<ISeriesApi<'Area'> | null>(null);
  const drawn = useRef(0);
  const first = useRef<number | undefined>(undefined);

  useEffect(() => {
    const node = box.current;
    if (!node) return;
    const color = COLORS[colorScheme === 'light' ? 'light' : 'dark'];
    const made = createChart(node, {
      autoSize: true,
      layout: { background: { color: 'transparent' }, textColor: color.text, attributionLogo: false },
      grid: { vertLines: { visible: false }, horzLines: { color: color.grid } },
      rightPriceScale: { borderVisible: false },
      timeScale: {
        borderVisible: false,
        timeVisible: true,
        lockVisibleTimeRangeOnResize: true,
        tickMarkFormatter: (time: UTCTimestamp) => formatTime(tag, time * 1000, true, zone),
      },
      localization: {
        timeFormatter: (time: UTCTimestamp) => formatTime(tag, time * 1000, true, zone),
        priceFormatter: (price: number) => formatDecimal(tag, cut(price), 4),
      },
      handleScroll: false,
      handleScale: false,
    });
    chart.current = made;
    series.current = made.addSeries(AreaSeries, {
      lineColor: color.line,
      topColor: `${color.line}55`,
      bottomColor: `${color.line}00`,
      lineWidth: 2,
      priceFormat: { type: 'price', precision: 4, minMove: 0.0001 },
    });
    drawn.current = 0;
    return () => {
      made.remove();
      chart.current = null;
      series.current = null;
    };
  }, [colorScheme, tag, zone]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a chart made anew is drawn anew.
  useEffect(() => {
    const line = series.current;
    if (!line) return;
    const last = points.at(-1);
    // Points before the first or many at once make another line; else the last one is new or newer.
    const grown = points.length - drawn.current;
    const earlier = (points[0]?.time ?? 0) < (first.current ?? 0);
    if (drawn.current === 0 || grown < 0 || grown > 1 || earlier || !last) {
      line.setData(points.map(({ time, value }) => ({ time: time as UTCTimestamp, value })));
      chart.current?.timeScale().fitContent();
    } else {
      line.update({ time: last.time as UTCTimestamp, value: last.value });
    }
    drawn.current = points.length;
    first.current = points[0]?.time;
  }, [points, colorScheme, tag, zone]);

  return (
    <div>
      <div
        ref={box}
        role="img"
        aria-label={label}
        data-last={points.length > 0 ? cut(points.at(-1)?.value ?? 0) : undefined}
        style={{ height, width: '100%' }}
      />
      <a className={classes.source} href="https://www.tradingview.com/" target="_blank" rel="noreferrer">
        Charts by TradingView
      </a>
    </div>
  );
}
