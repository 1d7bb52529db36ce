// @vitest-environment jsdom
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { show } from '@/testing/render';
import { MoneyInput } from './MoneyInput';

interface FieldProps {
  onValue?: (value: string) => void;
  max?: string;
  balance?: string;
  positive?: boolean;
  currency?: 'USDT' | 'BRL';
}

function Field(props: FieldProps) {
  const [value, setValue] = useState('');
  return (
    <MoneyInput
      label="Valor"
      value={value}
      onChange={(next) => {
        setValue(next);
        props.onValue?.(next);
      }}
      max={props.max}
      balance={props.balance}
      positive={props.positive ?? false}
      currency={props.currency ?? 'USDT'}
      echo={(amount) => `Você envia ${amount}`}
    />
  );
}
const field = () => screen.getByRole('textbox', { name: 'Valor' });

test('takes the comma in Portuguese and hands over a canonical amount', async () => {
  const onValue = vi.fn();
  await show(<Field onValue={onValue} />);
  await userEvent.type(field(), '1234,50');
  expect(onValue).toHaveBeenLastCalledWith('1234.50');
  expect(screen.getByText('Você envia 1.234,50 USDT')).toBeInTheDocument();
});

test('asks about a pasted amount that can be read in two ways', async () => {
  const onValue = vi.fn();
  await show(<Field onValue={onValue} />);
  await userEvent.click(field());
  await userEvent.paste('12,001');
  expect(screen.getByRole('alert')).toHaveTextContent('Qual valor você quis dizer?');
  expect(onValue).not.toHaveBeenCalledWith('12.001');
  await userEvent.click(screen.getByRole('button', { name: '12.001,00\u00a0USDT' }));
  expect(onValue).toHaveBeenLastCalledWith('12001');
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

test('refuses what is too precise, and hands nothing over', async () => {
  const onValue = vi.fn();
  await show(<Field onValue={onValue} currency="BRL" />);
  await userEvent.type(field(), '1,005');
  expect(onValue).toHaveBeenLastCalledWith('');
  expect(screen.getByText('Use no máximo 2 casas decimais.')).toBeInTheDocument();
});

test('Max sends the exact amount, more is an error', async () => {
  const onValue = vi.fn();
  await show(<Field onValue={onValue} max="1234.567891" />);
  await userEvent.click(screen.getByRole('button', { name: 'Máx.' }));
  expect(onValue).toHaveBeenLastCalledWith('1234.567891');
  await userEvent.clear(field());
  await userEvent.type(field(), '2000');
  expect(screen.getByText('O máximo é 1.234,56 USDT.')).toBeInTheDocument();
});

test('more than one has is said as that, less is bounded by what may go', async () => {
  await show(<Field max="80" balance="100" />);
  await userEvent.type(field(), '90');
  expect(screen.getByText('O máximo é 80,00 USDT.')).toBeInTheDocument();
  await userEvent.clear(field());
  await userEvent.type(field(), '101');
  expect(screen.getByText('O valor é maior que o seu saldo!')).toBeInTheDocument();
});

test('nothing is no amount where one is asked for: said once the field is left', async () => {
  await show(<Field positive />);
  await userEvent.type(field(), '0');
  expect(screen.queryByText('Informe um valor maior que zero')).not.toBeInTheDocument();
  await userEvent.tab();
  expect(screen.getByText('Informe um valor maior que zero')).toBeInTheDocument();
  await userEvent.type(field(), ',5');
  expect(screen.queryByText('Informe um valor maior que zero')).not.toBeInTheDocument();
});

test('zero is an amount where nothing else is said', async () => {
  await show(<Field />);
  await userEvent.type(field(), '0');
  await userEvent.tab();
  expect(screen.queryByText('Informe um valor maior que zero')).not.toBeInTheDocument();
});
