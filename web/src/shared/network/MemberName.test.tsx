// @vitest-environment jsdom
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { PersonHandle } from '@/shared/people/PersonCell';
import { show } from '@/testing/render';
import { MemberName } from './MemberName';

test.each([
  ['pt', 'Conta encerrada'],
  ['en', 'Closed account'],
  ['es', 'Cuenta cerrada'],
] as const)('who has left is called by no name, in the language of the reader: %s', async (locale, words) => {
  await show(
    <>
      <MemberName username="closed-4f2a91c07be3" />
      <PersonHandle username="closed-4f2a91c07be3" />
      <MemberName username="bia" />
    </>,
    { locale },
  );
  expect(screen.getAllByText(words)).toHaveLength(2);
  expect(screen.queryByText(/closed-/)).toBeNull();
  expect(screen.getByText('@bia')).toHaveAttribute('translate', 'no');
});
