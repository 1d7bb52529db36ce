/** How long the customer waits, and how soon they were first answered. */
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/ui/format';
import { useNow } from '@/ui/useNow';
import type { Ticket } from './conversation';
import type { Desk } from './desk';

/** Since when the customer waits, as a span; a closed ticket waits for nobody. */
export function Waits({ ticket, labelled = false }: { ticket: Ticket; labelled?: boolean }) {
  const { t } = useTranslation('desk');
  const { span } = useFormat();
  const now = useNow(20_000);
  if (!ticket.waitingSince || ticket.status !== 'open') return labelled ? null : <>–</>;
  const time = span(now - Date.parse(ticket.waitingSince));
  return <span className="num">{labelled ? t(($) => $.times.waiting, { time }) : time}</span>;
}

export function FirstAnswer({
  ticket,
  desk,
  labelled = false,
}: {
  ticket: Ticket;
  desk: Desk;
  labelled?: boolean;
}) {
  const { t } = useTranslation('desk');
  const { span } = useFormat();
  if (!desk.firstAnsweredAt) return labelled ? null : <>–</>;
  const time = span(Date.parse(desk.firstAnsweredAt) - Date.parse(ticket.created_at));
  return <span className="num">{labelled ? t(($) => $.times.firstAnswer, { time }) : time}</span>;
}
