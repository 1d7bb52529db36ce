import { Anchor, PinInput, Text, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatLeft } from './Countdown';
import { useNow } from './useNow';

const RESEND_MS = 60_000;

interface CodeInputProps {
  value: string;
  onChange: (code: string) => void;
  onComplete?: (code: string) => unknown;
  disabled?: boolean;
  autoFocus?: boolean;
}

export function CodeInput({ value, onChange, onComplete, disabled, autoFocus = true }: CodeInputProps) {
  const { t } = useTranslation();
  return (
    <PinInput
      length={6}
      type="number"
      oneTimeCode
      autoFocus={autoFocus}
      size="md"
      value={value}
      onChange={onChange}
      onComplete={(code) => void onComplete?.(code)}
      disabled={disabled}
      aria-label={t(($) => $.code.digit)}
      getInputProps={(index) => ({ 'aria-label': t(($) => $.code.digitOf, { index: index + 1 }) })}
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
