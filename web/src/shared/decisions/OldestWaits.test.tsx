// @vitest-environment jsdom
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { show } from '@/testing/render';
import { OLD_MS, OldestWaits } from './OldestWaits';

const line = (oldest: string | null, pending: number | undefined) => (
  <OldestWaits
    pending={pending}
    oldest={oldest}
    intro="Confira."
    nobody="Ninguém espera"
    since={(ago) => `O mais antigo espera ${ago}`}
  />
);
const before = (ms: number) => new Date(Date.now() - ms).toISOString();

test('says since when the oldest waits, and warns after two days', async () => {
  const { unmount } = await show(line(before(OLD_MS - 60_000), 3));
  expect(screen.getByText(/O mais antigo espera/)).toBeInTheDocument();
  expect(screen.queryByTestId('old-queue')).not.toBeInTheDocument();
  unmount();
  await show(line(before(OLD_MS + 60_000), 3));
  expect(screen.getByTestId('old-queue')).toHaveTextContent('48 h');
});

test('an empty queue has nobody, an unknown one its own word', async () => {
  const { unmount } = await show(line(null, 0));
  expect(screen.getByText('Ninguém espera')).toBeInTheDocument();
  unmount();
  await show(line(null, undefined));
  expect(screen.getByText('Confira.')).toBeInTheDocument();
});
