import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useUser } from '@/api/session';
import { useFormat } from '@/ui/format';
import classes from './ChatPanel.module.css';
import { type Double, type Message, pathOf, type Side } from './conversation';
import { Bubble } from './MessageItem';
import { Who } from './Who';

interface DoubleItemProps {
  message: Message;
  from: Double;
  side: Side;
}

/** A message of a ticket that was merged into this one: where it was written, and as it was. */
export function DoubleItem({ message, from, side }: DoubleItemProps) {
  const { t } = useTranslation('support');
  const { time } = useFormat();
  const mine = useUser()?._id === message.author;
  return (
    <div className={classes.row} data-mine={mine || undefined} data-first data-double={from.number}>
      <Who message={message} mine={mine}>
        {' · '}
        <Anchor component={Link} to={pathOf(side, from._id)} fz="inherit" display="inline-block">
          {t(($) => $.double.from, { number: from.number })}
        </Anchor>
      </Who>
      <Bubble message={message} />
      <div className={classes.meta}>
        <time dateTime={message.created_at} className="num">
          {time(message.created_at)}
        </time>
        {message.edited && <span>{t(($) => $.chat.edited)}</span>}
      </div>
    </div>
  );
}

/** Before the first message that is shown of one that has earlier ones: where those are read. */
export function EarlierItem({ from, side }: Pick<DoubleItemProps, 'from' | 'side'>) {
  const { t } = useTranslation('support');
  return (
    <Anchor
      component={Link}
      to={pathOf(side, from._id)}
      fz="xs"
      display="inline-block"
      py={6}
      data-earlier={from.number}
    >
      {t(($) => $.double.earlier, { number: from.number })}
    </Anchor>
  );
}
