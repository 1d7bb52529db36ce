import { Anchor, Card, Group, Skeleton, Stack } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useParams } from 'react-router';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { Notice } from '@/ui/Notice';
import { PageHeader } from '@/ui/PageHeader';
import { keepToast } from '@/ui/toast';
import { ChatPanel } from './ChatPanel';
import type { Ticket } from './conversation';
import { MergedInto } from './MergedInto';
import { AskSatisfaction, GivenSatisfaction } from './Satisfaction';
import classes from './Screens.module.css';
import { TicketAbout } from './TicketAbout';
import { TicketActions } from './TicketActions';
import { TicketState } from './TicketBits';
import { useConversation } from './useConversation';

export default function TicketPage() {
  const { idTicket = '' } = useParams();
  // Another ticket is another conversation: nothing of the last one may be left on screen.
  return <OwnTicket key={idTicket} id={idTicket} />;
}

function OwnTicket({ id }: { id: string }) {
  const { t } = useTranslation('support');
  const conversation = useConversation(id, 'customer');
  const { ticket } = conversation.now;
  const { error, refetch, data } = conversation.query;
  const about = data?.about;
  const log = useRef<HTMLDivElement>(null);
  const state = useLocation().state as { fileProblem?: string | null } | null;
  const [fileProblem, setFileProblem] = useState(state?.fileProblem ?? null);
  const fileFailed = t(($) => $.form.fileFailed, { reason: fileProblem ?? '' });
  return (
    <Stack gap="md" className={classes.full}>
      <Anchor component={Link} to="/support" fz="sm" w="fit-content">
        <Group gap={6} component="span">
          <IconArrowLeft size={16} aria-hidden />
          <span>{t(($) => $.ticket.back)}</span>
        </Group>
      </Anchor>
      {ticket?.deleted ? (
        <EmptyState title={t(($) => $.ticket.gone)} />
      ) : error && !ticket ? (
        <ErrorCard what={t(($) => $.ticket.what)} error={error} onRetry={refetch} />
      ) : (
        <>
          <TicketHeader
            ticket={ticket}
            action={
              ticket && <TicketActions ticket={ticket} side="customer" onChanged={conversation.applyTicket} />
            }
          />
          {ticket && <MergedInto ticket={ticket} side="customer" />}
          {about && <TicketAbout about={about} />}
          {ticket && (
            <AskSatisfaction
              ticket={ticket}
              onChanged={conversation.applyTicket}
              onSaid={() => log.current?.focus()}
            />
          )}
          {data?.rating && <GivenSatisfaction rating={data.rating} label={t(($) => $.rating.yours)} />}
          {fileProblem && (
            <Notice
              tone="danger"
              onClose={() => {
                keepToast('danger', fileFailed);
                setFileProblem(null);
              }}
            >
              {fileFailed}
            </Notice>
          )}
          <Card className={classes.chatCard}>
            {ticket ? (
              <ChatPanel conversation={conversation} ticket={ticket} side="customer" log={log} />
            ) : (
              <ChatSkeleton />
            )}
          </Card>
        </>
      )}
    </Stack>
  );
}

export function TicketHeader({ ticket, action }: { ticket: Ticket | null; action: React.ReactNode }) {
  const { t } = useTranslation('support');
  const { date } = useFormat();
  return (
    <PageHeader
      title={ticket?.subject ?? t(($) => $.title)}
      live
      subtitle={
        ticket && (
          <Group gap={8} component="span">
            <span>{t(($) => $.ticket.number, { number: ticket.number })}</span>
            <span>{t(($) => $.category[ticket.category])}</span>
            <span>
              {ticket.closedAt
                ? t(($) => $.ticket.closed, { date: date(ticket.closedAt ?? '') })
                : t(($) => $.ticket.opened, { date: date(ticket.created_at) })}
            </span>
          </Group>
        )
      }
      action={
        ticket && (
          <Group gap="xs">
            <TicketState ticket={ticket} side="customer" />
            {action}
          </Group>
        )
      }
    />
  );
}

export function ChatSkeleton() {
  const { t } = useTranslation();
  return (
    <Stack p="lg" gap="md" role="status" aria-label={t(($) => $.loading)}>
      <Skeleton h={54} w="55%" radius="lg" />
      <Skeleton h={54} w="45%" radius="lg" ml="auto" />
      <Skeleton h={76} w="60%" radius="lg" />
    </Stack>
  );
}
