import { Button, CloseButton, TextInput, UnstyledButton } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useUser } from '@/api/session';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { plainList } from '@/ui/plainList';
import classes from './ChatPanel.module.css';
import { piecesOf } from './found';
import { type Found, MAX_WORDS } from './useFound';

/** What the browser's own search cannot see: it knows what is drawn alone, and is left as it is. */
export function SearchField({ found, onLeave }: { found: Found; onLeave: () => void }) {
  const { t } = useTranslation('support');
  const label = t(($) => $.chat.search.label);
  return (
    <TextInput
      type="search"
      // The key for a list's filter leads here.
      data-filter-search
      className={classes.search}
      size="xs"
      aria-label={label}
      placeholder={label}
      maxLength={MAX_WORDS}
      autoComplete="off"
      leftSection={<IconSearch size={14} aria-hidden />}
      rightSection={
        found.typed !== '' && (
          <CloseButton
            size="xs"
            aria-label={t(($) => $.chat.search.clear)}
            onClick={() => {
              found.type('');
              onLeave();
            }}
          />
        )
      }
      value={found.typed}
      onChange={(event) => found.type(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.ctrlKey || event.altKey || event.metaKey || event.nativeEvent.isComposing) return;
        if (event.key === 'Enter') found.step(event.shiftKey ? -1 : 1);
        else if (event.key === 'ArrowDown') found.step(1);
        else if (event.key === 'ArrowUp') found.step(-1);
        else if (event.key === 'Escape' && found.typed !== '') {
          found.type('');
          onLeave();
        } else return;
        event.preventDefault();
      }}
    />
  );
}

/** Messages with the words, the newest first; each leads to where it stands. */
export function SearchResults({ found }: { found: Found }) {
  const { t } = useTranslation('support');
  const { count } = useFormat();
  const { words, lines, error, more, comes, at, total } = found;
  if (words === '') return null;
  return (
    <section className={classes.found} aria-label={t(($) => $.chat.search.label)} data-testid="found">
      <div className={classes.foundHead} role="status">
        {!lines ? (
          !error && <span>{t(($) => $.chat.search.coming)}</span>
        ) : total === 0 ? (
          <span>{t(($) => $.chat.search.none)}</span>
        ) : at > 0 ? (
          <span>{t(($) => $.chat.search.at, { at: count(at), total: count(total) })}</span>
        ) : (
          <span>{t(($) => $.chat.search.count, { count: total })}</span>
        )}
      </div>
      {error && (
        <ErrorCard
          what={t(($) => $.chat.search.what)}
          error={error}
          onRetry={lines && more ? more : found.again}
        />
      )}
      {lines && lines.length > 0 && (
        <ul {...PLAIN}>
          {lines.map((line) => (
            <li key={line.number}>
              <Line found={found} line={line} />
            </li>
          ))}
        </ul>
      )}
      {more && !error && (
        <Button size="compact-sm" variant="default" loading={comes} onClick={() => void more()}>
          {t(($) => $.chat.search.more)}
        </Button>
      )}
    </section>
  );
}

const PLAIN = { style: { ...plainList.style, margin: plainList.m, padding: plainList.p } } as const;

function Line({ found, line }: { found: Found; line: NonNullable<Found['lines']>[number] }) {
  const { t } = useTranslation('support');
  const { date, time } = useFormat();
  const me = useUser()?._id;
  return (
    <UnstyledButton
      className={classes.foundLine}
      aria-current={line.number === found.current || undefined}
      onClick={() => found.go(line.number)}
    >
      <span className={classes.foundWho}>
        <span>{line.author === me ? t(($) => $.chat.you) : line.authorName}</span>
        <time dateTime={line.created_at} className="num">
          {`${date(line.created_at)} ${time(line.created_at)}`}
        </time>
      </span>
      <span>
        <Marked text={line.text} words={found.words} />
      </span>
    </UnstyledButton>
  );
}

/** A text with the words in it marked. */
export function Marked({ text, words }: { text: string; words: string }) {
  let place = 0;
  return piecesOf(text, words).map((piece) => {
    const key = place;
    place += piece.text.length;
    return piece.hit ? <mark key={key}>{piece.text}</mark> : <span key={key}>{piece.text}</span>;
  });
}
