import { Anchor, PinInput, Text, TextInput } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatLeft } from './Countdown';
import { useNow } from './useNow';

const LENGTH = 6;
const RESEND_MS = 60_000;

interface CodeInputProps {
  value: string;
  onChange: (code: string) => void;
  onComplete?: (code: string) => unknown;
  disabled?: boolean;
  autoFocus?: boolean;
}

/** Six boxes. The first one has the focus when they appear, and again when a code was refused and taken out. */
export function CodeInput({ value, onChange, onComplete, disabled, autoFocus = true }: CodeInputProps) {
  const { t } = useTranslation();
  const first = useRef<HTMLInputElement>(null);
  const before = useRef(value);
  const refused = useRef(false);
  useEffect(() => {
    // Whoever deletes goes digit by digit; only a refusal empties a whole code.
    if (before.current.length === LENGTH && value === '') refused.current = true;
    before.current = value;
    if (!refused.current || disabled) return;
    refused.current = false;
    first.current?.focus();
  }, [value, disabled]);
  return (
    <PinInput
      ref={first}
      length={LENGTH}
      type="number"
      oneTimeCode
      autoFocus={autoFocus}
      size="md"
      value={value}
      onChange={onChange}
      onComplete={(code) => void onComplete?.(code)}
      disabled={disabled}
      aria-label={t(($) => $.code.digit)}
      getInputProps={(index) => ({
        'aria-label': t(($) => $.code.digitOf, { index: index + 1 }),
        // What a dialog gives the focus to when it opens, before its own cross.
        'data-autofocus': (autoFocus && index === 0) || undefined,
      })}
    />
  );
}

/** A recovery code is words and hyphens: one plain field. */
export function RecoveryInput({
  value,
  onChange,
  disabled,
}: Pick<CodeInputProps, 'value' | 'onChange' | 'disabled'>) {
  const { t } = useTranslation();
  return (
    <TextInput
      label={t(($) => $.code.recovery)}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      disabled={disabled}
      data-autofocus
    />
  );
}

export function Resend({ sentAt, onSend }: { sentAt: number | null; onSend: () => unknown }) {
  const { t } = useTranslation();
  const now = useNow(1000);
  const left = sentAt === null ? 0 : sentAt + RESEND_MS - now;
  if (left > 0)
    return (
      <Text fz="sm" c="dimmed" className="num">
        {t(($) => $.code.resendIn, { time: formatLeft(left) })}
      </Text>
    );
  return (
    <Anchor component="button" type="button" fz="sm" onClick={() => void onSend()}>
      {t(($) => $.code.resend)}
    </Anchor>
  );
}
