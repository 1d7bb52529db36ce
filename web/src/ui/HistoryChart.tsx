import { Anchor, Box, Button, Group, Skeleton, Table, Text } from '@mantine/core';
import { IconChartAreaLine, IconTable } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { useFormat } from './format';
import { Money } from './Money';
import { plainList } from './plainList';
import { usePrefs } from './prefs';

export type Unit = 'usdt' | 'plain' | 'percent';

export interface Series {
  key: string;
  label: string;
  color: string;
  shape: 'area' | 'step' | 'line' | 'bar';
  /** Of bars: what is below zero. */
  below?: string;
  /** Bars of one stack stand on each other. */
  stack?: string;
}

export interface HistoryRow {
  /** A day (`2026-11-20`), a month (`2026-11`) or a name. */
  at: string;
  /** USDT, or what else is shown, as decimal strings. Null where there is no such figure: a gap, not zero. */
  values: Readonly<Record<string, string | null>>;
  /** How many things the values are of, where `counted` names them. */
  count?: number;
}

export interface HistoryChartProps {
  label: string;
  /** What stands along the axis: "Dia", "Robô". */
  axis: string;
  rows: readonly HistoryRow[];
  series: readonly Series[];
  /** Names instead of days, bars lying down. */
  names?: boolean;
  /** Numbers of things, or percents, instead of USDT. */
  unit?: Unit;
  /** Heads the rows' counts in the table. */
  counted?: string;
  /** Whether the table is shown, kept by who takes the chart away and brings it back. */
  asTable?: readonly [boolean, (table: boolean) => void];
  height?: number;
  /** Where the rows are that a figure is made of: a press on its bar, a link in the table. */
  lead?: (at: string, series: string) => string | undefined;
  /** Beside "Ver como tabela". */
  controls?: ReactNode;
  title?: ReactNode;
}

/** The drawing library is large: it comes when a chart does. */
const Plot = lazy(() => import('./HistoryPlot'));

/** Values over days (or by name), drawn or as a table. */
export function HistoryChart(props: HistoryChartProps) {
  const {
    label,
    axis,
    rows,
    series,
    names = false,
    unit = 'usdt',
    counted,
    height = 240,
    lead,
    controls,
    title,
  } = props;
  const navigate = useNavigate();
  const { t } = useTranslation('lists');
  const { count, date, decimal, percent } = useFormat();
  const masked = usePrefs((prefs) => prefs.masked);
  const own = useState(false);
  const [table, setTable] = props.asTable ?? own;
  return (
    <div>
      <Group justify="space-between" gap="xs" mb="sm">
        {title}
        <Group gap="xs" ml="auto">
          {controls}
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            leftSection={
              table ? <IconChartAreaLine size={16} aria-hidden /> : <IconTable size={16} aria-hidden />
            }
            onClick={() => setTable(!table)}
          >
            {table ? t(($) => $.chart.asChart) : t(($) => $.chart.asTable)}
          </Button>
        </Group>
      </Group>
      {table ? (
        <Table.ScrollContainer
          minWidth={280}
          maxHeight={height + 80}
          type="native"
          tabIndex={0}
          role="group"
          aria-label={label}
        >
          <Table aria-label={label} stickyHeader>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{axis}</Table.Th>
                {counted && (
                  <Table.Th scope="col" ta="right">
                    {counted}
                  </Table.Th>
                )}
                {series.map((one) => (
                  <Table.Th key={one.key} scope="col" ta="right">
                    {one.label}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {(names ? rows : [...rows].reverse()).map((row) => (
                <Table.Tr key={row.at}>
                  <Table.Th scope="row" fw={500}>
                    {names ? row.at : date(row.at)}
                  </Table.Th>
                  {counted && (
                    <Table.Td ta="right" className="num">
                      {count(row.count ?? 0)}
                    </Table.Td>
                  )}
                  {series.map((one) => (
                    <Table.Td key={one.key} ta="right">
                      <Led to={row.values[one.key] === null ? undefined : lead?.(row.at, one.key)}>
                        {row.values[one.key] === null ? (
                          '–'
                        ) : unit === 'usdt' ? (
                          <Money value={row.values[one.key] ?? '0'} digits={4} unit={false} />
                        ) : (
                          <span className="num">
                            {unit === 'plain'
                              ? decimal(row.values[one.key] ?? '0', 0)
                              : percent(row.values[one.key] ?? '0')}
                          </span>
                        )}
                      </Led>
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      ) : (
        <>
          {series.length > 1 && <Legend series={series} />}
          <Box role="img" aria-label={label} h={height}>
            <Suspense fallback={<Skeleton h={height} radius="md" />}>
              <Plot
                rows={rows}
                series={series}
                names={names}
                unit={unit}
                height={height}
                masked={masked && unit === 'usdt'}
                onBar={
                  lead &&
                  ((at, key) => {
                    const to = lead(at, key);
                    if (to !== undefined) void navigate(to);
                  })
                }
              />
            </Suspense>
          </Box>
        </>
      )}
    </div>
  );
}

function Led({ to, children }: { to: string | undefined; children: ReactNode }) {
  return to === undefined ? (
    children
  ) : (
    <Anchor component={Link} to={to} fz="inherit" c="inherit" underline="hover">
      {children}
    </Anchor>
  );
}

function Legend({ series }: { series: readonly Series[] }) {
  return (
    <Group component="ul" gap="md" {...plainList} mb={6}>
      {series.map(({ key, label, color, shape }) => (
        <Group component="li" key={key} gap={6} wrap="nowrap">
          <svg width={16} height={10} aria-hidden>
            {shape === 'step' || shape === 'line' ? (
              <line
                x1={0}
                x2={16}
                y1={5}
                y2={5}
                stroke={color}
                strokeWidth={2}
                strokeDasharray={shape === 'step' ? '4 3' : undefined}
              />
            ) : (
              <rect x={3} y={0} width={10} height={10} rx={2} fill={color} />
            )}
          </svg>
          <Text fz={12.5} c="dimmed">
            {label}
          </Text>
        </Group>
      ))}
    </Group>
  );
}
