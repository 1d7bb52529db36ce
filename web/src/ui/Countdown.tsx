import { Text } from '@mantine/core';
import { useEffect, useEffectEvent, useRef } from 'react';
import { serverNow } from '@/api/clock';
import { useNow } from './useNow';

interface CountdownProps {
  /** When it ends, by the server's clock. */
  until: string | number | Date;
  /** The whole span, for turning gold in its last quarter. Of what is a second or two longer, since the clocks differ, the span is shown. */
  totalMs?: number;
  onEnd?: () => void;
}

const SKEW_MS = 2_000;

export function Countdown({ until, totalMs, onEnd }: CountdownProps) {
  const end = new Date(until).getTime();
  const left = Math.max(0, end - useNow(1000, serverNow));
  const ended = useEffectEvent(() => onEnd?.());
  const told = useRef<number | null>(null);
  useEffect(() => {
    if (left > 0 || told.current === end) return;
    told.current = end;
    ended();
  }, [left, end]);
  const late = totalMs !== undefined && left <= totalMs / 4;
  const shown = totalMs !== undefined && left > totalMs && left - totalMs <= SKEW_MS ? totalMs : left;
  return (
    <Text
      span
      inherit
      className="num"
      translate="no"
      role="timer"
      c={late ? 'var(--gold-text)' : undefined}
      fw={600}
    >
      {formatLeft(shown)}
    </Text>
  );
}

/** 0:41 · 29:58 · 1:02:03 · 3d 4h */
export function formatLeft(ms: number): string {
  const total = Math.ceil(ms / 1000);
  const seconds = String(total % 60).padStart(2, '0');
  const minutes = Math.floor(total / 60) % 60;
  const hours = Math.floor(total / 3600);
  if (hours >= 48) return `${Math.floor(hours / 24)}d ${hours % 24}h`;
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${seconds}` : `${minutes}:${seconds}`;
}
