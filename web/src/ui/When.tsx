import { Tooltip } from '@mantine/core';
import { formatUtc, useFormat } from './format';
import { useNow } from './useNow';

interface WhenProps {
  at: string | number | Date;
  /** "há 12 min" while younger than a day. */
  relative?: boolean;
}

/** A moment by the reader's clocks, in UTC on hover. */
export function When({ at, relative = false }: WhenProps) {
  return relative ? <Ago at={at} /> : <Fixed at={at} />;
}

function Fixed({ at }: { at: WhenProps['at'] }) {
  const { dateTime } = useFormat();
  return <Moment at={at} text={dateTime(at)} />;
}

function Ago({ at }: { at: WhenProps['at'] }) {
  const { ago } = useFormat();
  return <Moment at={at} text={ago(at, useNow(20_000))} />;
}

function Moment({ at, text }: { at: WhenProps['at']; text: string }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>–</span>;
  return (
    <Tooltip label={formatUtc(date)} openDelay={300}>
      <time dateTime={date.toISOString()} className="num" style={{ whiteSpace: 'nowrap' }}>
        {text}
      </time>
    </Tooltip>
  );
}
