import { Anchor, Badge, Button, Card, Drawer, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowLeft, IconUser } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router';
import { $api } from '@/api/hooks';
import { useCan } from '@/api/session';
import { BROUGHT, TICKET_FACTS } from '@/shared/support/tickets';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { PageHeader } from '@/ui/PageHeader';
import { useFollow } from '@/ui/useList';
import { When } from '@/ui/When';
import { ChatPanel } from './ChatPanel';
import { CustomerCard } from './CustomerCard';
import { unreadOf } from './conversation';
import classes from './Screens.module.css';
import { TicketAbout } from './TicketAbout';
import { TicketActions } from './TicketActions';
import { TicketState } from './TicketBits';
import { ChatSkeleton } from './TicketPage';
import { useConversation } from './useConversation';

const LIST = '/support/list-tickets-all/';
const ROOT = '/customer-service/tickets-list';

export default function TicketResponsePage() {
  const { idTicket = '' } = useParams();
  const lists = useCan('customer-service_list-tickets');
  return (
    <div className={classes.desk}>
      {lists && <Queue current={idTicket} />}
      <Response key={idTicket} id={idTicket} />
    </div>
  );
}

function Response({ id }: { id: string }) {
  const { t } = useTranslation('support');
  const { t: common } = useTranslation();
  const { date } = useFormat();
  const navigate = useNavigate();
  const [opened, { open, close }] = useDisclosure(false);
  const conversation = useConversation(id, 'staff');
  const { ticket } = conversation.now;
  const { error, refetch, data } = conversation.query;
  const customer = data?.customer;
  const back = (
    <Anchor component={Link} to={ROOT} fz="sm" w="fit-content">
      <Group gap={6} component="span">
        <IconArrowLeft size={16} aria-hidden />
        <span>{t(($) => $.staff.backToList)}</span>
      </Group>
    </Anchor>
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
                <span>{ticket.userName}</span>
                <span>{t(($) => $.category[ticket.category])}</span>
                <span>{t(($) => $.ticket.opened, { date: date(ticket.created_at) })}</span>
              </Group>
            )
          }
          action={
            ticket && (
              <Group gap="xs">
                <TicketState ticket={ticket} side="staff" />
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
                />
              </Group>
            )
          }
        />
        {data?.about && <TicketAbout about={data.about} owner={customer?.username ?? ''} />}
        <Card className={classes.chatCard}>
          {ticket ? <ChatPanel conversation={conversation} ticket={ticket} side="staff" /> : <ChatSkeleton />}
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

/** Who waits, longest first, beside the conversation. */
function Queue({ current }: { current: string }) {
  const { t } = useTranslation('support');
  const { data } = $api.useQuery('get', LIST, {
    params: { query: { waiting: true, sortby: 'waiting_since', limit: 50 } },
  });
  const live = useFollow(LIST, TICKET_FACTS, { rows: data?.data, brings: BROUGHT, calm: true });
  return (
    <Card component="nav" className={classes.queue} aria-label={t(($) => $.staff.waiting)} {...live.area}>
      <div className={classes.queueTitle}>
        <Text fz="sm" fw={600}>
          {t(($) => $.staff.waiting)}
        </Text>
        {data && (
          <Badge color={data.meta.total > 0 ? 'gold' : 'gray'} className="num">
            {data.meta.total}
          </Badge>
        )}
      </div>
      {data?.data.length === 0 ? (
        <Text fz="sm" c="dimmed" p="md">
          {t(($) => $.staff.nobody)}
        </Text>
      ) : (
        <ul className={classes.queueList}>
          {(data?.data ?? []).map((ticket) => (
            <li key={ticket._id}>
              <Link
                to={`/customer-service/ticket-response/${ticket._id}`}
                className={classes.queueItem}
                aria-current={ticket._id === current ? 'page' : undefined}
              >
                <Group justify="space-between" gap={6} wrap="nowrap">
                  <Text fz="sm" fw={600} truncate>
                    {ticket.userName}
                  </Text>
                  {unreadOf(ticket, 'staff') > 0 && ticket._id !== current && (
                    <Badge color="gold" size="sm" className="num">
                      {unreadOf(ticket, 'staff')}
                    </Badge>
                  )}
                </Group>
                <Text fz="xs" truncate>
                  {ticket.subject}
                </Text>
                <Text fz="xs" c="dimmed" component="div">
                  {ticket.waitingSince && <When at={ticket.waitingSince} relative />}
                </Text>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
