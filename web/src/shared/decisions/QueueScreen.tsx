import { Badge, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Mutation } from '@/api/mutation';
import { useUser } from '@/api/session';
import { PersonCell } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import type { Column } from '@/ui/DataTable';
import type { FilterField } from '@/ui/FilterBar';
import { List } from '@/ui/List';
import { PageHeader } from '@/ui/PageHeader';
import { ScreenTabs } from '@/ui/ScreenTabs';
import { When } from '@/ui/When';
import { type BulkResult, useBulkApprove } from './BulkApprove';
import { OldestWaits } from './OldestWaits';
import type { QueueItem, QueueList } from './useQueueList';

interface QueueBulk<Row, In, Out> {
  /** "@ana, 10,00 USDT". */
  name: (row: Row) => string;
  /** In USDT, for the sum. */
  amount: (row: Row) => string;
  /** It waits for a first decision. */
  open: (row: Row) => boolean;
  /** Whose money it is: nobody decides on their own. */
  people: (row: Row) => readonly string[];
  /** What else has it decided by itself. */
  blocked?: (row: Row) => string | undefined;
  decide: Mutation<In, Out>;
  /** The order for one row; a refusal that is known before is thrown. */
  order: (row: Row) => In;
  /** What the decision came to; what it must not come to is thrown. */
  result: (decided: Out, row: Row) => BulkResult;
}

interface QueueScreenProps<Row extends QueueItem, F extends string, T extends string, In, Out> {
  /** From `useQueueList`. */
  queue: QueueList<Row, F, T>;
  title: string;
  /** The line below it: before the length is known, when nobody waits, since when the first does. */
  waiting: { intro: string; nobody: string; since: (ago: string) => string };
  tabs: { label: string; text: (name: T) => string };
  /** Names the file and the kept choice of columns. */
  name: string;
  label: string;
  what: string;
  columns: readonly Column<Row>[];
  fields: readonly FilterField<F>[];
  empty: ReactNode;
  /** A row that is no longer this tab's. */
  dim: (row: Row) => boolean;
  bulk: QueueBulk<Row, In, Out>;
  /** Between the title and the tabs. */
  children?: ReactNode;
  /** Inside the tab, above the list. */
  above?: ReactNode;
  /** The open row's decision. */
  decision: (props: { row: Row | null; deciding: string | undefined; onClose: () => void }) => ReactNode;
}

/** A queue on screen: since when its first waits, tabs, rows that facts keep true, several decisions at once, one in its drawer. */
export function QueueScreen<Row extends QueueItem, F extends string, T extends string, In, Out>(
  props: QueueScreenProps<Row, F, T, In, Out>,
) {
  const { queue, title, waiting, tabs, name, label, what, columns, fields, empty, dim, bulk } = props;
  const { list, tab, pending, open, setOpen } = queue;
  const { selection, bulk: bar } = useQueueBulk(list.rows, bulk);
  return (
    <Stack gap="lg">
      <PageHeader
        title={title}
        subtitle={<OldestWaits pending={pending} oldest={queue.oldest} {...waiting} />}
        live
      />
      {props.children}
      <ScreenTabs
        label={tabs.label}
        tabs={(Object.keys(queue.tabs) as T[]).map((one) => ({
          name: one,
          text: tabs.text(one),
          count: queue.tabs[one].bulk ? pending : undefined,
        }))}
        shown={tab}
        onShow={queue.setTab}
      >
        <Stack gap="lg">
          {props.above}
          <List
            list={list}
            name={name}
            label={label}
            what={what}
            columns={columns}
            fields={fields}
            empty={empty}
            onOpen={setOpen}
            dim={dim}
            {...(queue.tabs[tab].bulk && { selection, bulk: bar })}
          />
        </Stack>
      </ScreenTabs>
      {props.decision({
        row: open,
        deciding: open ? queue.deciding.get(open._id) : undefined,
        onClose: () => setOpen(null),
      })}
    </Stack>
  );
}

type Decided = { approvalsNeeded: number; signals?: readonly string[] };

function useQueueBulk<Row extends QueueItem, In, Out>(
  rows: readonly Row[] | undefined,
  { name, amount, open, people, blocked, decide, order, result }: QueueBulk<Row, In, Out>,
) {
  const { t } = useTranslation('shell');
  const me = useUser()?._id;
  return useBulkApprove<Row>({
    rows,
    rowKey: (row) => row._id,
    name,
    amount,
    blocked: (row) => {
      if (!open(row)) return t(($) => $.bulk.decided);
      if (people(row).some((one) => one === me)) return t(($) => $.bulk.own);
      const { approvalsNeeded, signals } = row as Row & Decided;
      // By its sum with others a small one needs two as well.
      if (approvalsNeeded > 1 || signals?.includes('large_amount')) return t(($) => $.bulk.twoPersons);
      return blocked?.(row);
    },
    approve: async (row, key) => result(await decide.one(order(row), key), row),
    onDone: () => void decide.renew(),
  });
}

interface Waiting {
  user: string;
  created_at: string;
  waitingSince?: string | null;
  fullName: string;
  username: string;
}

/** The two columns that every queue begins with: since when it waits, whose it is. */
export function useQueueColumns<Row extends Waiting>(): { age: Column<Row>; person: Column<Row> } {
  const { t: lists } = useTranslation('lists');
  return {
    age: {
      key: 'age',
      label: lists(($) => $.queue.age),
      sort: 'waiting_since',
      fixed: true,
      render: (row) => <When at={row.waitingSince ?? row.created_at} relative />,
    },
    person: {
      key: 'user',
      label: lists(($) => $.queue.person),
      sort: 'username',
      fixed: true,
      render: (row) => <PersonCell person={row} />,
    },
  };
}

interface StandingProps {
  /** The word of its badge. */
  status: string;
  /** How many have agreed; only while it waits. */
  approvals?: { given: number; needed: number } | false;
  /** The colleague who has it open. */
  decider: string | undefined;
  children?: ReactNode;
}

/** How a row stands: its badge, how many have agreed, who is about to. */
export function Standing({ status, approvals, decider, children }: StandingProps) {
  const { t: lists } = useTranslation('lists');
  return (
    <div>
      <StatusBadge status={status} />
      {approvals && approvals.given > 0 && (
        <Text fz="xs" c="dimmed">
          {lists(($) => $.queue.standing, { given: approvals.given, needed: approvals.needed })}
        </Text>
      )}
      <Decider name={decider} />
      {children}
    </div>
  );
}

export function Decider({ name }: { name: string | undefined }) {
  const { t: lists } = useTranslation('lists');
  if (name === undefined) return null;
  return (
    <Text fz="xs" c="var(--gold-text)" role="status">
      {lists(($) => $.queue.deciding, { name })}
    </Text>
  );
}

interface SignalsProps<S extends string> {
  of: readonly S[];
  /** In one word, and in a sentence. */
  short: (signal: S) => string;
  long?: (signal: S) => string;
  grave?: readonly S[];
  /** Said when there are none. */
  none?: string;
}

/** What speaks for care, as badges. */
export function Signals<S extends string>({ of, short, long, grave = [], none }: SignalsProps<S>) {
  return (
    <Group gap={4}>
      {of.length === 0 && none}
      {of.map((signal) => (
        <Badge
          key={signal}
          size="sm"
          variant="light"
          color={grave.includes(signal) ? 'red' : 'gold'}
          title={long?.(signal)}
        >
          {short(signal)}
        </Badge>
      ))}
    </Group>
  );
}
