import {
  Alert,
  Button,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLocale } from '@/i18n';
import { isLocale, LOCALE_LABELS, LOCALES } from '@/i18n/locales';
import { GuardedButton } from '@/ui/GuardedButton';
import { useSaveText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { type Draft, MAX_ORDER, MAX_TEXT, MAX_TITLE, type StaffItem, saveItem } from './content';

const wordsOf = (item: StaffItem | null): Draft => ({
  kind: item?.kind ?? 'lesson',
  language: item?.language ?? currentLocale(),
  title: item?.title ?? '',
  text: item?.text ?? '',
  order: item?.order ?? null,
});
const isSame = (a: Draft, b: Draft) =>
  a.language === b.language && a.title === b.title && a.text === b.text && a.order === b.order;

interface WordsFormProps {
  item: StaffItem | null;
  onSaved: (saved: StaffItem) => void;
}

/** What an item says; a new one is a draft under an id of this form, however often it is sent. */
export function WordsForm({ item, onSaved }: WordsFormProps) {
  const { t } = useTranslation('content');
  const { t: common } = useTranslation();
  const saveText = useSaveText();
  const id = useRef(crypto.randomUUID());
  // What was read when the writing began.
  const [base, setBase] = useState(item);
  const [draft, setDraft] = useState(() => wordsOf(item));
  const begin = (from: StaffItem | null) => {
    setBase(from);
    setDraft(wordsOf(from));
  };
  const { busy, failure, run, field, changed } = useSubmit(saveItem, (saved) => {
    if (item !== null) begin(saved);
    onSaved(saved);
  });
  const set = (change: Partial<Draft>) => {
    changed();
    setDraft((before) => ({ ...before, ...change }));
  };
  const untouched = base !== null && isSame(draft, wordsOf(base));
  const moved = item !== null && base !== null && !isSame(wordsOf(item), wordsOf(base));
  // Somebody else has written meanwhile: nobody's words are lost for it.
  if (moved && untouched && item.version > base.version) begin(item);
  // Where only a file or the publication has changed, the words are still those that were read.
  const over = moved ? base : item;
  const ready = draft.title.trim() !== '';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) void run({ id: id.current, item: over, draft });
      }}
    >
      <Stack gap="sm">
        {item === null && (
          <div>
            <Text fz="sm" fw={500} mb={4}>
              {t(($) => $.staff.kind)}
            </Text>
            <SegmentedControl
              fullWidth
              aria-label={t(($) => $.staff.kind)}
              value={draft.kind}
              onChange={(next) => set({ kind: next === 'material' ? 'material' : 'lesson' })}
              data={(['lesson', 'material'] as const).map((value) => ({
                value,
                label: t(($) => $.kind[value]),
              }))}
            />
          </div>
        )}
        <Group grow align="start">
          <Select
            label={t(($) => $.filter.language)}
            data={LOCALES.map((value) => ({ value, label: LOCALE_LABELS[value] }))}
            value={draft.language}
            onChange={(next) => isLocale(next) && set({ language: next })}
            allowDeselect={false}
            error={field('language')}
          />
          <NumberInput
            label={t(($) => $.staff.order)}
            description={t(($) => $.staff.orderHint)}
            value={draft.order ?? ''}
            onChange={(next) => set({ order: typeof next === 'number' ? next : null })}
            min={0}
            max={MAX_ORDER}
            allowDecimal={false}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            error={field('order')}
          />
        </Group>
        <TextInput
          label={t(($) => $.staff.titleField)}
          value={draft.title}
          onChange={(event) => set({ title: event.currentTarget.value })}
          maxLength={MAX_TITLE}
          lang={draft.language}
          required
          error={field('title')}
        />
        <Textarea
          label={t(($) => $.staff.text)}
          description={t(($) => $.staff.textHint)}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          value={draft.text}
          onChange={(event) => set({ text: event.currentTarget.value })}
          maxLength={MAX_TEXT}
          lang={draft.language}
          autosize
          minRows={8}
          maxRows={22}
          error={field('text')}
        />
        {failure && (
          <Alert color="red" variant="light" role="alert">
            {saveText(failure.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          {item !== null && !untouched && (
            <Button
              variant="default"
              disabled={busy}
              onClick={() => {
                changed();
                begin(item);
              }}
            >
              {t(($) => $.staff.undo)}
            </Button>
          )}
          <GuardedButton
            type="submit"
            loading={busy}
            allowed={ready && !untouched}
            reason={ready ? t(($) => $.staff.unchanged) : t(($) => $.staff.needsTitle)}
          >
            {item === null ? t(($) => $.staff.saveDraft) : common(($) => $.actions.save)}
          </GuardedButton>
        </Group>
      </Stack>
    </form>
  );
}
