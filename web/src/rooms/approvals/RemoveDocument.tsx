import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { toast } from '@/ui/toast';
import { removeDocument, type WithdrawalRow } from './withdrawalQueue';

/** Takes a wrong document off a customer's account, with a reason; its owner enters it anew. */
export function RemoveDocument({ row }: { row: WithdrawalRow }) {
  const { t } = useTranslation('approvals');
  const [asking, setAsking] = useState(false);
  return (
    <div>
      <Button variant="light" color="red" size="xs" onClick={() => setAsking(true)}>
        {t(($) => $.document.remove)}
      </Button>
      <Text fz="xs" c="dimmed" mt={4}>
        {t(($) => $.document.hint)}
      </Text>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t(($) => $.document.title)}
        facts={[
          { label: t(($) => $.facts.user), value: `${row.fullName} (@${row.username})` },
          { label: t(($) => $.withdrawal.facts.document), value: row.document },
        ]}
        consequence={t(($) => $.document.consequence)}
        reason={{ label: t(($) => $.document.reason), required: true }}
        confirmLabel={t(($) => $.document.remove)}
        danger
        onConfirm={async ({ reason }) => {
          await removeDocument({ user: row.user, reason });
          toast.success(t(($) => $.document.done));
        }}
      />
    </div>
  );
}
