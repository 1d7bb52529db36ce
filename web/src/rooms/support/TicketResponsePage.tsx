import { Anchor, Button, Card, Drawer, Group, Skeleton, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowLeft, IconArrowRight, IconUser } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router';
import { QUEUES } from '@/api/queues';
import { useCan, useUser } from '@/api/session';
import { useDeciding, useTellDeciding } from '@/live/useDeciding';
import { PersonLink } from '@/shared/people/PersonCell';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { useLetterKey } from '@/ui/keys';
import { PageHeader } from '@/ui/PageHeader';
import { toast } from '@/ui/toast';
import { CustomerCard } from './CustomerCard';
import { pathOf } from './conversation';
import { DeskChat } from './DeskChat';
import { Holder, useToldOfHandovers } from './Holder';
import { MergedInto } from './MergedInto';
import { MergeDialog, MergeItem } from './Merging';
import { nextWaiting } from './nextWaiting';
import { GivenSatisfaction } from './Satisfaction';
import classes from './Screens.module.css';
import { TicketAbout } from './TicketAbout';
import { TicketActions } from './TicketActions';
import { TicketState } from './TicketBits';
import { ChatSkeleton } from './TicketPage';
import { FirstAnswer, Waits } from './Times';
import { useConversation } from './useConversation';
import { useWaiting, Waiting } from './Waiting';

const ROOT = QUEUES.tickets.screen;

export default function TicketResponsePage() {
  const { idTicket = '' } = useParams();
  useToldOfHandovers();
  const lists = useCan(QUEUES.tickets.permission);
  return (
    <div className={classes.desk}>
      {lists ? <InQueue id={idTicket} /> : <Response key={idTicket} id={idTicket} />}
    </div>
  );
}

/** For who sees the queue: what else waits, who looks at what, and the way to the next. */
function InQueue({ id }: { id: string }) {
  const { t } = useTranslation('support');
  const navigate = useNavigate();
  const waiting = useWaiting();
  const looking = useDeciding(QUEUES.tickets);
  useTellDeciding(QUEUES.tickets, id);
  const me = useUser()?._id;
  const goOn = () => {
    const next = nextWaiting(waiting.tickets ?? [], id, ({ _id, desk }) => {
      const holder = desk.takenBy?._id;
      return looking.has(_id) || (holder !== undefined && holder !== me);
    });
    if (next) void navigate(`/customer-service/ticket-response/${next}`);
    else if (waiting.tickets) toast.info(t(($) => $.staff.nobody));
  };
  useLetterKey('n', goOn);
  return (
    <>
      <Waiting current={id} waiting={waiting} looking={looking} />
      <Response key={id} id={id} onNext={goOn} />
    </>
  );
}

function Response({ id, onNext }: { id: string; onNext?: () => void }) {
  const { t } = useTranslation('support');
  const { t: common } = useTranslation();
  const { date } = useFormat();
  const navigate = useNavigate();
  const [opened, { open, close }] = useDisclosure(false);
  const [merging, setMerging] = useState(false);
  const conversation = useConversation(id, 'staff');
  const { ticket } = conversation.now;
  const { error, refetch, data } = conversation.query;
  const customer = data?.customer;
  const desk = data?.desk ?? null;
  const back = (
    <Group justify="space-between" gap="sm">
      <Anchor component={Link} to={ROOT} fz="sm">
        <Group gap={6} component="span">
          <IconArrowLeft size={16} aria-hidden />
          <span>{t(($) => $.staff.backToList)}</span>
        </Group>
      </Anchor>
      {onNext && (
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={onNext}
          rightSection={<IconArrowRight size={16} aria-hidden />}
          aria-keyshortcuts="n"
        >
          {t(($) => $.staff.next)}
        </Button>
      )}
    </Group>
  );
  if (ticket?.deleted || (error && !ticket))
    return (
      <Stack gap="md">
        {back}
        {ticket?.deleted ? (
          <EmptyState title={t(($) => $.ticket.gone)} />
        ) : (
          <ErrorCard what={t(($) => $.ticket.what)} error={error} onRetry={refetch} />
        )}
      </Stack>
    );
  const card = customer ? <CustomerCard customer={customer} /> : <Skeleton h={180} radius="md" />;
  return (
    <>
      <Stack gap="md" miw={0} className={classes.full}>
        {back}
        <PageHeader
          title={ticket?.subject ?? t(($) => $.staff.title)}
          live
          subtitle={
            ticket && (
              <Group gap={8} component="span">
                <span>{t(($) => $.ticket.number, { number: ticket.number })}</span>
                <span translate="no">
                  <PersonLink id={ticket.user} username={ticket.userName}>
                    {ticket.userName}
                  </PersonLink>
                </span>
                <span>{t(($) => $.category[ticket.category])}</span>
                <span>{t(($) => $.ticket.opened, { date: date(ticket.created_at) })}</span>
                <Waits ticket={ticket} labelled />
                {desk && <FirstAnswer ticket={ticket} desk={desk} labelled />}
              </Group>
            )
          }
          action={
            ticket && (
              <Group gap="xs">
                <TicketState ticket={ticket} side="staff" />
                {desk && <Holder ticket={ticket} desk={desk} />}
                <Button
                  variant="default"
                  size="sm"
                  hiddenFrom="md"
                  onClick={open}
                  leftSection={<IconUser size={16} aria-hidden />}
                >
                  {t(($) => $.panel.show)}
                </Button>
                <TicketActions
                  ticket={ticket}
                  side="staff"
                  onChanged={conversation.applyTicket}
                  onDeleted={() => void navigate(ROOT)}
                  controls={<MergeItem ticket={ticket} onClick={() => setMerging(true)} />}
                />
              </Group>
            )
          }
        />
        {ticket && <MergedInto ticket={ticket} side="staff" />}
        {ticket && (
          <MergeDialog
            ticket={ticket}
            opened={merging}
            onClose={() => setMerging(false)}
            onMerged={(merged, into) => {
              conversation.applyTicket(merged);
              void navigate(pathOf('staff', into));
            }}
          />
        )}
        {data?.about && <TicketAbout about={data.about} owner={customer?.username ?? ''} />}
        {data?.rating && <GivenSatisfaction rating={data.rating} label={t(($) => $.rating.theirs)} />}
        <Card className={classes.chatCard}>
          {ticket ? (
            <DeskChat conversation={conversation} ticket={ticket} desk={desk} locale={customer?.locale} />
          ) : (
            <ChatSkeleton />
          )}
        </Card>
      </Stack>
      <Card component="aside" className={classes.side} aria-label={t(($) => $.panel.title)} h="fit-content">
        {card}
      </Card>
      <Drawer
        opened={opened}
        onClose={close}
        position="right"
        title={t(($) => $.panel.title)}
        closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
      >
        {card}
      </Drawer>
    </>
  );
}
