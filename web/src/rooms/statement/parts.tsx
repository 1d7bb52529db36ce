import { Button, Card, Group, Text, Title } from '@mantine/core';
import { IconFileTypePdf, IconTableExport } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { Money } from '@/ui/Money';
import { isZero } from '@/ui/money';
import { usePress } from '@/ui/usePress';

/** What is shown as files; each press fetches one. */
export function Files({ csv, pdf }: { csv: () => Promise<unknown>; pdf: () => Promise<unknown> }) {
  const [sheet, paper] = [usePress(csv), usePress(pdf)];
  return (
    <Group gap="xs" justify="flex-end">
      <Button
        variant="default"
        leftSection={<IconTableExport size={17} aria-hidden />}
        loading={sheet.busy}
        onClick={() => void sheet.run(null)}
      >
        CSV
      </Button>
      <Button
        variant="default"
        leftSection={<IconFileTypePdf size={17} aria-hidden />}
        loading={paper.busy}
        onClick={() => void paper.run(null)}
      >
        PDF
      </Button>
    </Group>
  );
}

/** What a line is about, and whose result it is. */
export function About({ mode, children }: { mode: Schemas['Mode'] | null | undefined; children: ReactNode }) {
  return (
    <Group gap={6}>
      <Text span fz="sm">
        {children}
      </Text>
      {mode && <ModeBadge mode={mode} size="xs" />}
    </Group>
  );
}

const OTHERS = ['results', 'bonus', 'licences', 'exchange', 'sponsorship', 'loans', 'corrections'] as const;

/** What changed the balance besides money that came and went; with entries and exits it leads from opening to closing. */
export function OtherFlows({ flows }: { flows: Schemas['Flows'] }) {
  const { t } = useTranslation('statement');
  const moved = OTHERS.filter((name) => !isZero(flows[name]));
  if (moved.length === 0) return null;
  return (
    <Card component="section" aria-labelledby="other-flows" py="md">
      <Title order={2} fz={15} id="other-flows" mb="xs">
        {t(($) => $.flows.title)}
      </Title>
      <Group component="dl" gap="8px 32px" m={0}>
        {moved.map((name) => (
          <div key={name}>
            <Text component="dt" fz={12.5} c="dimmed">
              {t(($) => $.flows[name])}
            </Text>
            <Text component="dd" m={0} fz="sm" fw={600}>
              <Money value={flows[name]} sign />
            </Text>
          </div>
        ))}
      </Group>
    </Card>
  );
}
