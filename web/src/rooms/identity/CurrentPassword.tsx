import { PasswordInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface CurrentPasswordProps {
  value: string;
  onChange: (password: string) => void;
  /** The server's word about it. */
  error?: string | undefined;
  /** Say that it is missing (after a first submit). */
  checked?: boolean;
  /** What it is asked for, where nothing around it says so. */
  hint?: string;
  /** It has the focus when it appears. */
  first?: boolean;
}

/** The password that somebody has now, asked for again before something of the account changes. */
export function CurrentPassword({
  value,
  onChange,
  error,
  checked = false,
  hint,
  first = false,
}: CurrentPasswordProps) {
  const { t } = useTranslation('identity');
  const said = error ?? (checked && value === '' && t(($) => $.errors.required));
  return (
    <PasswordInput
      data-autofocus={first || undefined}
      autoFocus={first}
      name="current-password"
      autoComplete="current-password"
      required
      label={t(($) => $.account.password.current)}
      description={hint}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={said}
      // Its own input says so in no way that is read out.
      aria-invalid={Boolean(said)}
      visibilityToggleButtonProps={{ 'aria-label': t(($) => $.password.show) }}
    />
  );
}
