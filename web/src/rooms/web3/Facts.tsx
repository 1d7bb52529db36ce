import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

/** What an order is, line by line. */
export function Facts({ lines }: { lines: readonly (readonly [string, ReactNode])[] }) {
  return (
    <Table variant="vertical" layout="fixed">
      <Table.Tbody>
        {lines.map(([label, value]) => (
          <Table.Tr key={label}>
            <Table.Th w="40%" fw={500} c="dimmed" bg="transparent">
              {label}
            </Table.Th>
            <Table.Td ta="right" fw={600} className="num" style={{ overflowWrap: 'anywhere' }}>
              {value}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
