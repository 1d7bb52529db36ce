import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { useCan } from '@/api/session';
import { usePress } from '@/ui/usePress';
import { readNotices } from './read';
import { notificationText } from './text';
import { placeOf } from './where';

interface NoticeTextProps {
  notice: Schemas['NotificationView'];
  /** The panel closes when its reader goes elsewhere. */
  onOpen?: () => void;
}

/** A notice in words. It leads to what it tells of; whoever goes there has read it. */
export function NoticeText({ notice, onOpen }: NoticeTextProps) {
  const { run } = usePress(readNotices);
  const text = notificationText(notice.code, notice.params);
  const place = placeOf(notice.code, notice.params);
  const may = useCan(place?.permission ?? 'registered-user');
  const fw = notice.read ? 400 : 600;
  if (place === null || !may)
    return (
      <Text fz="sm" fw={fw}>
        {text}
      </Text>
    );
  const open = () => {
    if (!notice.read) void run([notice.id]);
    onOpen?.();
  };
  return (
    <Anchor
      component={Link}
      to={place.screen}
      onClick={open}
      display="inline-block"
      fz="sm"
      fw={fw}
      c="inherit"
    >
      {text}
    </Anchor>
  );
}
