import { PasswordInput, Progress, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type ChosenPassword, PASSWORD_MAX, PASSWORD_MIN } from './usePassword';

interface PasswordFieldsProps {
  chosen: ChosenPassword;
  /** The refusal of the call that sets it. */
  error?: string | undefined;
  /** Show what is missing (after a first submit). */
  checked: boolean;
  label?: string;
}

export function PasswordFields({ chosen, error, checked, label }: PasswordFieldsProps) {
  const { t } = useTranslation('identity');
  const { password, confirmation, long, strength } = chosen;
  const missing = !long
    ? t(($) => $.password.rule, { min: PASSWORD_MIN })
    : strength?.acceptable === false && t(($) => $.password.tooWeak);
  const said = error ?? (checked && missing);
  const differ = checked && password !== confirmation && t(($) => $.password.differ);
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
          onChange={(event) => chosen.setPassword(event.currentTarget.value)}
          error={said}
          aria-invalid={Boolean(said)}
          visibilityToggleButtonProps={{ 'aria-label': t(($) => $.password.show) }}
        />
        {password !== '' && <Meter chosen={chosen} />}
      </div>
      <PasswordInput
        name="password-confirmation"
        autoComplete="new-password"
        required
        maxLength={PASSWORD_MAX}
        label={t(($) => $.password.repeat)}
        value={confirmation}
        onChange={(event) => chosen.setConfirmation(event.currentTarget.value)}
        error={differ}
        aria-invalid={Boolean(differ)}
        visibilityToggleButtonProps={{ 'aria-label': t(($) => $.password.show) }}
      />
    </Stack>
  );
}

const LEVELS = {
  weak: [25, 'red.6'],
  fair: [50, 'gold.5'],
  good: [75, 'mint.5'],
  strong: [100, 'mint.5'],
} as const;

function levelOf({ long, strength }: ChosenPassword): keyof typeof LEVELS | null {
  if (!long) return 'weak';
  if (!strength) return null;
  if (strength.acceptable) return strength.score >= 4 ? 'strong' : 'good';
  return strength.score >= 2 ? 'fair' : 'weak';
}

/** The server's judgement; nothing of our own that it might contradict. */
function Meter({ chosen }: { chosen: ChosenPassword }) {
  const { t } = useTranslation('identity');
  const level = levelOf(chosen);
  const [value, color] = level ? LEVELS[level] : [0, 'gray'];
  return (
    <div style={{ marginTop: 8 }}>
      <Progress value={value} size={5} color={color} aria-label={t(($) => $.password.strength)} />
      <Text fz="xs" c="dimmed" mt={4} role="status">
        <span>{t(($) => $.password.strength)}</span>:{' '}
        <span>{level ? t(($) => $.password.levels[level]) : t(($) => $.password.checking)}</span>
      </Text>
    </div>
  );
}
