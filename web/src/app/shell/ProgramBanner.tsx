import { Alert, Button, Group, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useProgram } from '../device';

/** A piece was asked for that a newer program no longer has: the page has to be loaded again before it goes on whole. */
export function ProgramBanner() {
  const { t } = useTranslation('shell');
  const gone = useProgram((program) => program.gone);
  if (!gone) return null;
  return (
    <Alert
      color="gold"
      variant="light"
      role="status"
      mb="lg"
      icon={<IconRefresh size={18} aria-hidden />}
      title={t(($) => $.program.newer)}
      data-testid="program-banner"
    >
      <Group justify="space-between" gap="sm">
        <Text fz="sm">{t(($) => $.program.hint)}</Text>
        <Button variant="default" size="xs" onClick={() => location.reload()}>
          {t(($) => $.program.reload)}
        </Button>
      </Group>
    </Alert>
  );
}
