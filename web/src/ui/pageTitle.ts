/** The window's title: the screen, and before it how much is unread on whatever screen. */
import { useEffect } from 'react';

let screen: string | null = null;
let unread = 0;

function write() {
  const count = unread > 99 ? '(99+) ' : unread > 0 ? `(${unread}) ` : '';
  document.title = `${count}${screen === null ? '' : `${screen} · `}Arbora`;
}

export function usePageTitle(title: string) {
  useEffect(() => {
    screen = title;
    write();
  }, [title]);
}

export function setUnread(count: number) {
  if (count === unread) return;
  unread = count;
  write();
}
