import { Button, Card, Group, Text, Title } from '@mantine/core';
import { IconFileTypePdf, IconTableExport } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { Money } from '@/ui/Money';
import { isZero } from '@/ui/money';

interface Press {
  busy: boolean;
  run: (input: null) => Promise<unknown>;
}

/** What is shown as files. */
export function Files({ csv, pdf }: { csv: Press; pdf: Press }) {
  return (
    <Group gap="xs" justify="flex-end">
      <Button
        variant="default"
        leftSection={<IconTableExport size={17} aria-hidden />}
        loading={csv.busy}
        onClick={() => void csv.run(null)}
      >
        CSV
      </Button>
      <Button
        variant="default"
        leftSection={<IconFileTypePdf size={17} aria-hidden />}
        loading={pdf.busy}
        onClick={() => void pdf.run(null)}
      >
        PDF
      </Button>
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
