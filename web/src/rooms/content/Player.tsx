import { Skeleton } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { apiUrl } from '@/api/url';
import { ErrorCard } from '@/ui/ErrorCard';
import classes from './Content.module.css';
import { keepPlace, keepProgress } from './content';

interface PlayerProps {
  id: string;
  title: string;
  /** Where the reader was; nothing is remembered of who only looks it over. */
  from?: number;
  staff?: boolean;
}

/** Seconds between two notes of where somebody is. */
const STEP = 15;
/** A link lasts six hours: a new one is asked for in time. */
const LASTS_MS = 5 * 3_600_000;

/** A video by a link of its own: a player cannot carry the session. */
export function Player({ id, title, from = 0, staff = false }: PlayerProps) {
  const { t } = useTranslation('content');
  const at = { params: { path: { id } } };
  const fresh = { staleTime: LASTS_MS, gcTime: LASTS_MS };
  const own = $api.useQuery('get', '/content/{id}/link', at, { ...fresh, enabled: !staff });
  const any = $api.useQuery('get', '/admin/content/{id}/link', at, { ...fresh, enabled: staff });
  const link = staff ? any : own;
  const [broken, setBroken] = useState(false);
  const noted = useRef(from);
  const again = () => link.refetch().then(() => setBroken(false));
  if (link.error || broken)
    return (
      <ErrorCard
        what={t(($) => $.item.video)}
        {...(link.error !== null && { error: link.error })}
        onRetry={again}
      />
    );
  if (!link.data) return <Skeleton h={260} radius="md" />;
  const note = (seconds: number) => {
    const now = Math.floor(seconds);
    if (staff || now === noted.current) return;
    noted.current = now;
    // Not told: the next note tells it.
    keepPlace(id, now).catch(() => {});
  };
  return (
    // biome-ignore lint/a11y/useMediaCaption: what is said stands in the text below; subtitles are part of the video.
    <video
      className={classes.player}
      src={apiUrl(link.data.path)}
      controls
      playsInline
      preload="metadata"
      aria-label={title}
      onLoadedMetadata={({ currentTarget: video }) => {
        if (from > 0 && from < video.duration - STEP) video.currentTime = from;
      }}
      onTimeUpdate={({ currentTarget: { currentTime } }) => {
        if (Math.abs(currentTime - noted.current) >= STEP) note(currentTime);
      }}
      onPause={({ currentTarget: { currentTime, ended } }) => {
        if (!ended) note(currentTime);
      }}
      onEnded={({ currentTarget: { duration } }) => {
        if (!staff) keepProgress({ id, seconds: Math.floor(duration), done: true }).catch(() => {});
      }}
      onError={() => setBroken(true)}
    />
  );
}
