import { PasswordInput, Progress, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface PasswordFieldsProps {
  password: string;
  confirmation: string;
  onPassword: (value: string) => void;
  onConfirmation: (value: string) => void;
  /** The server's word on it, which judges by more than we can. */
  error?: string | undefined;
  /** Show what is missing (after a first submit). */
  checked: boolean;
  label?: string;
}

export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 128;

export const passwordsFit = (password: string, confirmation: string): boolean =>
  password.length >= PASSWORD_MIN && password.length <= PASSWORD_MAX && password === confirmation;

export function PasswordFields(props: PasswordFieldsProps) {
  const { password, confirmation, onPassword, onConfirmation, error, checked, label } = props;
  const { t } = useTranslation('identity');
  const strength = strengthOf(password);
  const short = password.length < PASSWORD_MIN || password.length > PASSWORD_MAX;
  return (
    <Stack gap="sm">
      <div>
        <PasswordInput
          name="new-password"
          autoComplete="new-password"
          required
          maxLength={PASSWORD_MAX}
          label={label ?? t(($) => $.password.new)}
          description={t(($) => $.password.rule, { min: PASSWORD_MIN })}
          value={password}
          onChange={(event) => onPassword(event.currentTarget.value)}
          error={error ?? (checked && short && t(($) => $.password.rule, { min: PASSWORD_MIN }))}
          visibilityToggleButtonProps={{ 'aria-label': t(($) => $.password.show) }}
        />
        {password !== '' && (
          <div style={{ marginTop: 8 }}>
            <Progress
              value={(strength + 1) * 25}
              size={5}
              color={['red.6', 'gold.5', 'mint.5', 'mint.5'][strength] ?? 'gray'}
              aria-label={t(($) => $.password.strength)}
            />
            <Text fz="xs" c="dimmed" mt={4} role="status">
              {t(($) => $.password.strength)}: {t(($) => $.password.levels[LEVELS[strength] ?? 'weak'])}
            </Text>
          </div>
        )}
      </div>
      <PasswordInput
        name="password-confirmation"
        autoComplete="new-password"
        required
        maxLength={PASSWORD_MAX}
        label={t(($) => $.password.repeat)}
        value={confirmation}
        onChange={(event) => onConfirmation(event.currentTarget.value)}
        error={checked && password !== confirmation && t(($) => $.password.differ)}
        visibilityToggleButtonProps={{ 'aria-label': t(($) => $.password.show) }}
      />
    </Stack>
  );
}

const LEVELS = ['weak', 'fair', 'good', 'strong'] as const;

/** A hint while typing, by length and variety; the server's estimate is the one that decides. */
export function strengthOf(password: string): 0 | 1 | 2 | 3 {
  const classes = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d]/].filter((one) => one.test(password)).length;
  const variety = new Set(password).size;
  if (password.length < PASSWORD_MIN || variety < 5) return 0;
  if (password.length >= 16 && variety >= 10) return 3;
  if (password.length >= 12 && classes >= 3) return 3;
  if (password.length >= 10 && classes >= 2) return 2;
  return 1;
}
