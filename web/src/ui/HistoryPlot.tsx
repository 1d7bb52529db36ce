/** The drawing of a `HistoryChart`, in a file of its own so that the library is loaded with the first chart. */
import { Paper, Text } from '@mantine/core';
import {
  Area,
  Bar,
  CartesianGrid,
  Cell,
  ComposedChart,
  Line,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { valueAxis } from './axis';
import { useFormat } from './format';
import type { HistoryRow, Series, Unit } from './HistoryChart';
import { toChart } from './money';

interface PlotProps {
  rows: readonly HistoryRow[];
  series: readonly Series[];
  names: boolean;
  unit: Unit;
  height: number;
  masked: boolean;
  onBar: ((at: string, series: string) => void) | undefined;
}

const TICK = { fill: 'var(--mantine-color-dimmed)', fontSize: 12 };
/** `2026-11`: shown whole, a day without its year. */
const MONTH = 7;
const GRID = 'var(--mantine-color-default-border)';

export default function HistoryPlot({ rows, series, names, unit, height, masked, onBar }: PlotProps) {
  const { date, compact } = useFormat();
  const data = rows.map(({ at, values }) => ({
    at,
    ...Object.fromEntries(
      series.map(({ key }) => {
        const value = values[key];
        return [key, value === null ? null : toChart(value ?? '0')];
      }),
    ),
  }));
  const money = (value: number) =>
    masked ? '•••' : unit === 'percent' ? `${compact(value)}%` : compact(value);
  const value = {
    type: 'number',
    tick: TICK,
    tickLine: false,
    axisLine: false,
    tickFormatter: money,
    domain: valueAxis(rows, series),
    // Steps whose every multiple can be written out: a label that is rounded would say what is not there.
    niceTicks: 'snap125',
  } as const;
  const place = {
    dataKey: 'at',
    type: 'category',
    tick: TICK,
    tickLine: false,
    axisLine: { stroke: GRID },
    tickFormatter: (at: string) => (names ? at : date(at).slice(0, at.length > MONTH ? 5 : undefined)),
    interval: names ? 0 : 'preserveStartEnd',
    minTickGap: 28,
  } as const;
  return (
    <ResponsiveContainer width="100%" height={height}>
      <ComposedChart
        data={data}
        layout={names ? 'vertical' : 'horizontal'}
        margin={{ top: 6, right: 12, bottom: 0, left: 0 }}
        accessibilityLayer={false}
        stackOffset="sign"
      >
        <CartesianGrid stroke={GRID} strokeOpacity={0.5} vertical={names} horizontal={!names} />
        {names ? <XAxis {...value} /> : <XAxis {...place} />}
        {names ? <YAxis {...place} width={112} /> : <YAxis {...value} width={56} />}
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: GRID, fillOpacity: 0.25, stroke: GRID }}
          content={({ active, label }) =>
            active ? (
              <Reading
                row={rows.find(({ at }) => at === label)}
                series={series}
                names={names}
                unit={unit}
                masked={masked}
              />
            ) : null
          }
        />
        <ReferenceLine
          {...(names ? { x: 0 } : { y: 0 })}
          stroke="var(--mantine-color-dimmed)"
          strokeOpacity={0.6}
        />
        {series.map((one) => shape(one, data, onBar))}
      </ComposedChart>
    </ResponsiveContainer>
  );
}

function shape(
  { key, color, shape: kind, below, stack }: Series,
  data: readonly Record<string, unknown>[],
  onBar: PlotProps['onBar'],
) {
  if (kind === 'area')
    return (
      <Area
        key={key}
        dataKey={key}
        type="linear"
        stroke={color}
        strokeWidth={2}
        fill={color}
        fillOpacity={0.16}
        isAnimationActive={false}
        dot={data.length === 1}
      />
    );
  if (kind === 'line')
    return (
      <Line
        key={key}
        dataKey={key}
        type="linear"
        stroke={color}
        strokeWidth={2}
        dot={false}
        isAnimationActive={false}
      />
    );
  if (kind === 'step')
    return (
      <Line
        key={key}
        dataKey={key}
        type="stepAfter"
        stroke={color}
        strokeWidth={1.75}
        strokeDasharray="6 4"
        dot={false}
        isAnimationActive={false}
      />
    );
  return (
    <Bar
      key={key}
      dataKey={key}
      fill={color}
      maxBarSize={26}
      isAnimationActive={false}
      {...(stack && { stackId: stack })}
      {...(onBar && {
        cursor: 'pointer',
        onClick: (_: unknown, at: number) => onBar(String(data[at]?.at), key),
      })}
    >
      {below && data.map((row) => <Cell key={String(row.at)} fill={Number(row[key]) < 0 ? below : color} />)}
    </Bar>
  );
}

interface ReadingProps {
  row: HistoryRow | undefined;
  series: readonly Series[];
  names: boolean;
  unit: Unit;
  masked: boolean;
}

function Reading({ row, series, names, unit, masked }: ReadingProps) {
  const { date, usdt, decimal, percent } = useFormat();
  if (!row) return null;
  const write = {
    usdt: (value: string) => usdt(value, 4),
    plain: (value: string) => decimal(value, 0),
    percent: (value: string) => percent(value),
  }[unit];
  return (
    <Paper withBorder shadow="sm" px="sm" py={8}>
      <Text fz={12.5} c="dimmed" mb={2}>
        {names ? row.at : date(row.at)}
      </Text>
      {series.map(({ key, label }) => (
        <Text key={key} fz={13} className="num">
          <span>{label}</span>:{' '}
          <span>{row.values[key] === null ? '–' : masked ? '•••' : write(row.values[key] ?? '0')}</span>
        </Text>
      ))}
    </Paper>
  );
}
