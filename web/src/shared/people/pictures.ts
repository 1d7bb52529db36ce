/** Who has which picture. A screen names many people at once: all of them are asked for together. */
import { useQuery } from '@tanstack/react-query';
import { api } from '@/api/client';

/** Names that come within this time go in one call. */
const TOGETHER_MS = 20;
/** The most that one call takes. */
const MOST = 100;
const STALE_MS = 5 * 60_000;

interface Asked {
  name: string;
  answer: (picture: string | null) => void;
}

let asked: Asked[] = [];

/** A picture is an ornament: where the call fails there are initials. */
async function find(names: string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const { data } = await api.GET('/people/pictures', { params: { query: { names: names.join(',') } } });
  for (const { username, avatar } of data?.data ?? []) found.set(username, avatar);
  return found;
}

function send() {
  const waiting = asked;
  asked = [];
  const names = [...new Set(waiting.map(({ name }) => name))];
  for (let from = 0; from < names.length; from += MOST) {
    const some = names.slice(from, from + MOST);
    find(some)
      .catch(() => new Map<string, string>())
      .then((found) => {
        for (const { name, answer } of waiting) if (some.includes(name)) answer(found.get(name) ?? null);
      });
  }
}

function pictureOf(name: string): Promise<string | null> {
  return new Promise((answer) => {
    if (asked.push({ name, answer }) === 1) setTimeout(send, TOGETHER_MS);
  });
}

/** The file of somebody's picture; none for who has none, and while it is not known. */
export function usePicture(username: string | undefined): string | null {
  const { data } = useQuery({
    queryKey: ['picture of', username],
    queryFn: () => pictureOf(username ?? ''),
    enabled: username !== undefined,
    staleTime: STALE_MS,
    retry: false,
  });
  return data ?? null;
}
