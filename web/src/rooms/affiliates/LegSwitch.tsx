import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useOffline } from '@/api/connection';
import { toast } from '@/ui/toast';
import { usePress } from '@/ui/usePress';
import { LEGS, type Leg, saveLeg } from './network';
import { useWords } from './words';

/** The leg down which newcomers are placed. */
export function LegSwitch({ leg }: { leg: Leg }) {
  const { t } = useTranslation('affiliates');
  const words = useWords();
  const offline = useOffline();
  const { run, busy } = usePress(saveLeg, ({ selectedLeg }) =>
    toast.success(t(($) => $.leg.saved, { leg: words.leg(selectedLeg) })),
  );
  return (
    <Stack gap={4}>
      <Text fz={12.5} c="dimmed" id="newcomers">
        {t(($) => $.leg.label)}
      </Text>
      <SegmentedControl
        aria-labelledby="newcomers"
        value={leg}
        onChange={(next) => void run(next as Leg)}
        disabled={busy || offline}
        data={LEGS.map((value) => ({ value, label: words.leg(value) }))}
      />
    </Stack>
  );
}
