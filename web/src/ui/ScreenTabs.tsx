import { Badge, Tabs } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

interface ScreenTabsProps<Name extends string> {
  label: string;
  /** In their order; a count stands beside its name while there is something to count. */
  tabs: readonly { name: Name; text: string; count?: number | undefined }[];
  shown: Name;
  onShow: (name: Name) => void;
  children: ReactNode;
}

/** The tabs of a screen. On a phone they scroll sideways and are never squeezed. */
export function ScreenTabs<Name extends string>({
  label,
  tabs,
  shown,
  onShow,
  children,
}: ScreenTabsProps<Name>) {
  const list = useRef<HTMLDivElement>(null);
  // Of a tab that is opened by its address, too.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is shown.
  useEffect(() => {
    const tab = list.current?.querySelector('[role="tab"][aria-selected="true"]');
    const place = list.current;
    if (!(tab instanceof HTMLElement) || !place) return;
    const { offsetLeft: from, offsetWidth: width } = tab;
    if (from < place.scrollLeft) place.scrollLeft = from;
    else if (from + width > place.scrollLeft + place.clientWidth)
      place.scrollLeft = from + width - place.clientWidth;
  }, [shown]);
  return (
    <Tabs value={shown} onChange={(next) => next !== null && onShow(next as Name)}>
      <Tabs.List ref={list} aria-label={label} style={{ flexWrap: 'nowrap', overflowX: 'auto' }}>
        {tabs.map(({ name, text, count }) => (
          <Tabs.Tab
            key={name}
            value={name}
            flex="none"
            rightSection={
              count ? (
                <Badge size="sm" color="gold" variant="light" className="num">
                  {count}
                </Badge>
              ) : undefined
            }
          >
            {text}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={shown} pt="md">
        {children}
      </Tabs.Panel>
    </Tabs>
  );
}
