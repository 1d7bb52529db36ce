import { Anchor, Button, Group, Text, TextInput } from '@mantine/core';
import { type ClipboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Digits, decimalMark, useFormat } from './format';
import { compare, isPositive, type ParsedMoney, parseMoney } from './money';

interface MoneyInputProps {
  label: string;
  /** Canonical decimal string, or '' while there is no usable amount. */
  value: string;
  onChange: (value: string) => void;
  currency?: 'USDT' | 'BRL' | 'PYX' | 'BNB' | 'BUSD';
  /** Decimals accepted: 6 for coins, 2 for BRL unless said. */
  decimals?: number;
  /** Offers "Max", which sends this exact string; more than it is an error. */
  max?: string | undefined;
  /** What one has: an amount beyond it is beyond the balance, whatever else bounds it. */
  balance?: string | undefined;
  /** Nothing is no amount here: said of a zero once the field is left. */
  positive?: boolean;
  /** The caller's error (a refusal by the server, a rule of the room). */
  error?: ReactNode;
  description?: ReactNode;
  disabled?: boolean;
  required?: boolean;
  /** What the amount does, given the amount as it is understood: "Você envia 1.234,50 USDT". */
  echo?: (formatted: string) => string;
  name?: string;
  autoFocus?: boolean;
}

/** An amount typed or pasted with comma or point; what can be read in two ways is asked, never guessed. */
export function MoneyInput(props: MoneyInputProps) {
  const { label, value, onChange, currency = 'USDT', max, balance, error, description, echo } = props;
  const decimals = props.decimals ?? (currency === 'BRL' ? 2 : 6);
  const { t } = useTranslation('lists');
  const format = useFormat();
  const mark = decimalMark(format.tag);
  const [text, setText] = useState(() => toText(value, mark));
  const [parsed, setParsed] = useState<ParsedMoney>({ kind: 'empty' });
  const [left, setLeft] = useState(false);
  const reported = useRef(value);

  // Set from outside (a reset, the other half of a linked pair): shown as it is.
  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value;
    setText(toText(value, mark));
    setParsed(value === '' ? { kind: 'empty' } : { kind: 'value', value });
  }, [value, mark]);

  const accept = (next: string, pasted = false) => {
    const result = parseMoney(next, { decimalMark: mark, digits: decimals, pasted });
    setText(next);
    setParsed(result);
    report(result.kind === 'value' ? result.value : '');
  };
  const report = (next: string) => {
    reported.current = next;
    if (next !== value) onChange(next);
  };
  const choose = (reading: string) => {
    setText(toText(reading, mark));
    setParsed({ kind: 'value', value: reading });
    report(reading);
  };
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const field = event.currentTarget;
    // Only a paste over everything is a whole amount; into the middle of one it is typing.
    const covered = (field.selectionEnd ?? 0) - (field.selectionStart ?? 0);
    if (field.value !== '' && covered < field.value.length) return;
    event.preventDefault();
    accept(event.clipboardData.getData('text').trim(), true);
  };

  const shownDigits = (decimals > 4 ? digitsOf(value) : 2) as Digits;
  const amount = (reading: string, digits: Digits = shownDigits) =>
    currency === 'BRL' ? format.brl(reading) : `${format.decimal(reading, digits)}\u00a0${currency}`;
  const over = (most: string | undefined) => most !== undefined && value !== '' && compare(value, most) > 0;
  const bound = () => {
    if (parsed.kind === 'problem') return t(($) => $.money.problems[parsed.problem], { count: decimals });
    if (props.positive && left && value !== '' && !isPositive(value))
      return t(($) => $.money.problems.negative);
    if (over(balance)) return t(($) => $.money.problems.overBalance);
    if (max !== undefined && over(max)) return t(($) => $.money.problems.overMax, { max: amount(max, 2) });
    return undefined;
  };
  const problem = bound() ?? error;

  return (
    <div>
      <TextInput
        label={label}
        description={description}
        value={text}
        onChange={(event) => {
          setLeft(false);
          accept(event.currentTarget.value);
        }}
        onBlur={() => setLeft(true)}
        onPaste={paste}
        error={problem}
        disabled={props.disabled}
        required={props.required}
        name={props.name}
        data-autofocus={props.autoFocus || undefined}
        inputMode="decimal"
        autoComplete="off"
        spellCheck={false}
        placeholder={toText('0.00', mark)}
        styles={{ input: { textAlign: 'right', fontVariantNumeric: 'tabular-nums' } }}
        leftSection={
          <Text fz="xs" c="dimmed" fw={600} component="span">
            {currency === 'BRL' ? 'R$' : currency}
          </Text>
        }
        leftSectionWidth={58}
        rightSectionWidth={max === undefined ? 0 : 64}
        rightSection={
          max === undefined ? null : (
            <Anchor component="button" type="button" fz="xs" fw={600} onClick={() => choose(max)}>
              {t(($) => $.money.max)}
            </Anchor>
          )
        }
      />
      {parsed.kind === 'ambiguous' && (
        <Group gap="xs" mt={6} role="alert">
          <Text fz="sm">{t(($) => $.money.ambiguous)}</Text>
          {parsed.readings.map((reading) => (
            <Button key={reading} size="compact-sm" variant="default" onClick={() => choose(reading)}>
              {amount(reading, digitsOf(reading))}
            </Button>
          ))}
        </Group>
      )}
      {echo && value !== '' && !problem && (
        <Text fz="xs" c="dimmed" mt={4} className="num">
          {echo(amount(value))}
        </Text>
      )}
    </div>
  );
}

const toText = (value: string, mark: ',' | '.') => (mark === ',' ? value.replace('.', ',') : value);

function digitsOf(value: string): Digits {
  const length = value.split('.')[1]?.length ?? 0;
  return length <= 2 ? 2 : length <= 4 ? 4 : 6;
}
