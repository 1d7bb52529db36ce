// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '@/api/problem';
import { Outbox, type Pending } from './outbox';
import { keepUnsent, readUnsent } from './unsent';

const LOST = new ApiError(0, { code: 'network' });
const REFUSED = new ApiError(409, { code: 'ticket.closed', message: 'Fechado.' });

type Line = 'open' | 'cut' | 'answers lost';

/** A server that stores each client id once, answers or not as it is told, and says in which order things came to it. */
function server() {
  const stored: string[] = [];
  const tried: string[] = [];
  let line = 'open' as Line;
  const refuses = new Set<string>();
  const closed = new Set<string>();
  let shown: readonly Pending[] = [];
  const box = (items: readonly Pending[] = []) =>
    new Outbox<string>(
      {
        send: async ({ clientId, text }) => {
          await Promise.resolve();
          tried.push(text);
          if (line === 'cut') throw LOST;
          if (refuses.has(clientId)) throw REFUSED;
          if (!stored.includes(clientId)) stored.push(clientId);
          if (line === 'answers lost') throw LOST;
          return clientId;
        },
        sent: () => {},
        changed: (now) => {
          shown = now;
        },
        ready: () => line !== 'cut',
        holds: ({ clientId }) => closed.has(clientId),
      },
      items,
    );
  return {
    stored,
    tried,
    refuses,
    closed,
    box,
    shown: () => shown.map(({ text, state }) => `${text} ${state}`),
    line: (now: Line) => {
      line = now;
    },
  };
}

const written = (text: string, file: File | null = null) => ({
  clientId: text,
  text,
  file,
  at: '2026-11-20T12:00:00Z',
});

describe("one's own messages", () => {
  it('go out one after the other, in the order in which they were written', async () => {
    const there = server();
    const box = there.box();
    await Promise.all(['um', 'dois', 'três'].map((text) => box.add(written(text))));
    expect(there.stored).toEqual(['um', 'dois', 'três']);
    expect(box.items).toEqual([]);
  });

  it('wait without a connection, and are sent once and in order when it is back', async () => {
    const there = server();
    const box = there.box();
    there.line('cut');
    for (const text of ['um', 'dois', 'três']) await box.add(written(text));
    expect(there.tried).toEqual([]);
    expect(there.shown()).toEqual(['um waiting', 'dois waiting', 'três waiting']);
    there.line('open');
    await box.resume();
    expect(there.stored).toEqual(['um', 'dois', 'três']);
    expect(there.tried).toEqual(['um', 'dois', 'três']);
    expect(box.items).toEqual([]);
  });

  it('are stored once where the answer is lost, and nothing overtakes them', async () => {
    const there = server();
    const box = there.box();
    there.line('answers lost');
    await box.add(written('um'));
    await box.add(written('dois'));
    expect(there.stored).toEqual(['um']);
    expect(there.shown()).toEqual(['um failed', 'dois waiting']);
    there.line('open');
    await box.retry('um');
    expect(there.stored).toEqual(['um', 'dois']);
    expect(box.items).toEqual([]);
  });

  it('do not hold up the next when they are refused', async () => {
    const there = server();
    const box = there.box();
    there.refuses.add('um');
    await box.add(written('um'));
    await box.add(written('dois'));
    expect(there.stored).toEqual(['dois']);
    expect(there.shown()).toEqual(['um failed']);
    expect(box.items[0]?.error).toBe(REFUSED);
    // The connection alone does not try again what was refused.
    await box.resume();
    expect(there.tried).toEqual(['um', 'dois']);
    await box.discard('um');
    expect(box.items).toEqual([]);
  });

  it('are not sent into a ticket that was closed since, until their author wants it', async () => {
    const there = server();
    const box = there.box();
    there.closed.add('um');
    await box.add(written('um'));
    expect(there.tried).toEqual([]);
    expect(there.shown()).toEqual(['um failed']);
    await box.retry('um');
    expect(there.stored).toEqual(['um']);
  });

  it('are gone once the server is known to have them', async () => {
    const there = server();
    const box = there.box();
    there.line('cut');
    await box.add(written('um'));
    await box.add(written('dois'));
    box.settle([{ clientId: null }, { clientId: 'um' }]);
    expect(there.shown()).toEqual(['dois waiting']);
  });
});

describe('what survives a reload', () => {
  beforeEach(() => localStorage.clear());

  it('is what was not sent, in order, for this person and ticket alone', async () => {
    const there = server();
    const box = there.box();
    there.line('cut');
    await box.add(written('um'));
    await box.add(written('dois'));
    keepUnsent('ana', 't1', box.items);
    expect(readUnsent('bia', 't1')).toEqual([]);
    expect(readUnsent('ana', 't2')).toEqual([]);
    there.line('open');
    const again = there.box(readUnsent('ana', 't1'));
    await again.resume();
    expect(there.stored).toEqual(['um', 'dois']);
    keepUnsent('ana', 't1', again.items);
    expect(localStorage).toHaveLength(0);
  });

  it('is the text of what had a file, and not without a word of its author', async () => {
    const there = server();
    const box = there.box();
    there.line('cut');
    await box.add(written('um', new File(['x'], 'extrato.pdf')));
    keepUnsent('ana', 't1', box.items);
    const [kept] = readUnsent('ana', 't1');
    expect(kept).toMatchObject({ text: 'um', file: null, lost: 'extrato.pdf', state: 'failed' });
    // Read again before anything was decided, it is still the same.
    keepUnsent('ana', 't1', readUnsent('ana', 't1'));
    expect(readUnsent('ana', 't1')[0]?.lost).toBe('extrato.pdf');
    there.line('open');
    const again = there.box(readUnsent('ana', 't1'));
    await again.resume();
    expect(there.stored).toEqual([]);
    await again.retry('um');
    expect(there.stored).toEqual(['um']);
  });

  it('is nothing where what is kept is not ours', () => {
    localStorage.setItem('unsent:ana:t1', '{"no":1}');
    expect(readUnsent('ana', 't1')).toEqual([]);
    localStorage.setItem('unsent:ana:t1', '[{"clientId":1},"x",null]');
    expect(readUnsent('ana', 't1')).toEqual([]);
    localStorage.setItem('unsent:ana:t1', 'not json');
    expect(readUnsent('ana', 't1')).toEqual([]);
  });
});
