import { Button, Text } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '@/api/client';
import { mutation } from '@/api/mutation';
import { asApiError } from '@/api/problem';
import { type DecidedByTwo, shownOf } from '@/live/words';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { toast } from '@/ui/toast';
import { type ApprovalSubject, useApprovalPreview } from './ApprovalEffect';

/** Of what: its kind and id; the stop of the hot wallet has none. */
export interface Word {
  kind: DecidedByTwo;
  id?: string;
}

const takeBack = (word: Word) =>
  mutation({
    send: () => api.POST('/admin/approvals/take-back', { body: word }),
    changes: shownOf(word.kind),
    always: true,
  })(undefined);

/** Who spoke the first of two words takes it back, while a second one is awaited. */
export function TakeBack({ kind, id }: Word) {
  const { t } = useTranslation('shell');
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconArrowBackUp size={15} aria-hidden />}
        onClick={() => setAsking(true)}
      >
        {t(($) => $.word.takeBack)}
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t(($) => $.word.title)}
        consequence={t(($) => $.word.consequence)}
        confirmLabel={t(($) => $.word.takeBack)}
        onConfirm={async () => {
          await takeBack({ kind, ...(id !== undefined && { id }) });
          setAsking(false);
          toast.success(t(($) => $.word.done));
        }}
      />
    </>
  );
}

/** One's own word about what waits for a second one, if it is there, and the way to take it back. */
export function OwnWord({ subject }: { subject: ApprovalSubject | null }) {
  const { t } = useTranslation('shell');
  const { error, isError } = useApprovalPreview(subject);
  if (subject === null || !isError || asApiError(error).code !== 'decision.same_person') return null;
  return (
    <div data-testid="own-word">
      <Text fz="sm" mb={6}>
        {t(($) => $.word.own)}
      </Text>
      <TakeBack kind={subject.kind} {...(subject.id !== undefined && { id: subject.id })} />
    </div>
  );
}
