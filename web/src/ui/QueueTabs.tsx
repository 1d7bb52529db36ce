import { Badge, Tabs } from '@mantine/core';
import type { ReactNode } from 'react';

interface QueueTabsProps<Name extends string> {
  label: string;
  /** In their order; a count stands beside its name while there is something to count. */
  tabs: readonly { name: Name; text: string; count?: number | undefined }[];
  shown: Name;
  onShow: (name: Name) => void;
  children: ReactNode;
}

/** The tabs over a queue. On a phone they scroll sideways and are never squeezed. */
export function QueueTabs<Name extends string>({
  label,
  tabs,
  shown,
  onShow,
  children,
}: QueueTabsProps<Name>) {
  return (
    <Tabs value={shown} onChange={(next) => next !== null && onShow(next as Name)}>
      <Tabs.List aria-label={label} style={{ flexWrap: 'nowrap', overflowX: 'auto' }}>
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
