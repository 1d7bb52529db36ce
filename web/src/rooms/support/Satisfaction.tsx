/** How a customer found a ticket solved: what they are asked, once, and what they have said. */
import { Alert, Button, Card, Group, Radio, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { GuardedButton } from '@/ui/GuardedButton';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useNow } from '@/ui/useNow';
import { useSubmit } from '@/ui/useSubmit';
import { MAX_COMMENT, REOPEN_MS, rateTicket, SCORES } from './api';
import type { Ticket } from './conversation';

interface AskSatisfactionProps {
  ticket: Ticket;
  onChanged: (ticket: Ticket) => void;
  /** The question is gone: whoever answered it goes on somewhere else. */
  onSaid: () => void;
}

/** Above the conversation of a ticket that was closed, for as long as it may be opened again; nothing once something was said. */
export function AskSatisfaction({ ticket, onChanged, onSaid }: AskSatisfactionProps) {
  const { t } = useTranslation('support');
  const errorText = useErrorText();
  const nowMs = useNow(30_000);
  const [score, setScore] = useState<string | null>(null);
  const [comment, setComment] = useState('');
  const { busy, failure, run, changed } = useSubmit(rateTicket, (answer, said) => {
    onChanged(answer);
    onSaid();
    toast.success(said.score === null ? t(($) => $.rating.declined) : t(($) => $.rating.thanks));
  });
  if (!ticket.asksRating || nowMs >= Date.parse(ticket.closedAt ?? '') + REOPEN_MS) return null;
  const id = ticket._id;
  return (
    <Card p="md" component="section" aria-label={t(($) => $.rating.title)} data-testid="satisfaction">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (score !== null) void run({ id, score: Number(score), comment: comment.trim() || null });
        }}
      >
        <Stack gap="sm">
          {failure && (
            <Alert color="red" variant="light" role="alert">
              {errorText(failure.error)}
            </Alert>
          )}
          <Radio.Group
            label={t(($) => $.rating.ask)}
            description={t(($) => $.rating.once)}
            value={score}
            onChange={(next) => {
              setScore(next);
              changed();
            }}
          >
            <Group gap="md" mt="xs">
              {SCORES.map((name, place) => (
                <Radio
                  key={name}
                  value={String(place + 1)}
                  label={t(($) => $.rating.scores[name])}
                  disabled={busy}
                />
              ))}
            </Group>
          </Radio.Group>
          {score !== null && (
            <Textarea
              label={t(($) => $.rating.comment)}
              value={comment}
              onChange={(event) => {
                setComment(event.currentTarget.value);
                changed();
              }}
              maxLength={MAX_COMMENT}
              autosize
              minRows={2}
              maxRows={4}
            />
          )}
          <Group gap="xs">
            {score !== null && (
              <GuardedButton allowed type="submit" size="sm" loading={busy}>
                {t(($) => $.rating.send)}
              </GuardedButton>
            )}
            <Button
              variant="subtle"
              size="sm"
              disabled={busy}
              onClick={() => void run({ id, score: null, comment: null })}
            >
              {t(($) => $.rating.decline)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

/** What was said, in the words that were offered. */
export function GivenSatisfaction({ rating, label }: { rating: Schemas['TicketRating']; label: string }) {
  const { t } = useTranslation('support');
  const name = SCORES[rating.score - 1];
  if (!name) return null;
  return (
    <Group component="section" gap={8} aria-label={label} data-testid="satisfaction-given">
      <Text fz="sm" c="dimmed">
        {label}
      </Text>
      <Text fz="sm" fw={600}>
        {t(($) => $.rating.given, { name: t(($) => $.rating.scores[name]), score: rating.score })}
      </Text>
      {rating.comment && (
        <Text fz="sm" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {rating.comment}
        </Text>
      )}
    </Group>
  );
}
