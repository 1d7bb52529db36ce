import {
  Alert,
  Button,
  Drawer,
  Group,
  NativeSelect,
  Skeleton,
  Stack,
  Table,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks';
import { IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '@/api/client';
import { asApiError } from '@/api/problem';
import type texts from '@/i18n/pt/rules.json';
import { useFormat } from '@/ui/format';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { changeSetting, type Setting, useRuleText } from './rules';

type EffectCode = keyof (typeof texts)['effects'];

interface EditSettingProps {
  setting: Setting | null;
  revision: number;
  onClose: () => void;
}

/** One setting: new value, what it does, why. */
export function EditSetting({ setting, revision, onClose }: EditSettingProps) {
  const phone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const { name } = useRuleText();
  return (
    <Drawer
      opened={setting !== null}
      onClose={onClose}
      position="right"
      size={phone ? '100%' : 460}
      title={setting ? name(setting.key) : ''}
    >
      {setting && <Form key={setting.key} setting={setting} revision={revision} onDone={onClose} />}
    </Drawer>
  );
}

/** A comma between whole and fraction is a point for the server. */
const written = (setting: Setting, text: string) =>
  setting.kind === 'monthDays' || setting.kind === 'text' ? text : text.trim().replace(',', '.');

function Form({ setting, revision, onDone }: { setting: Setting; revision: number; onDone: () => void }) {
  const { t } = useTranslation('rules');
  const { t: common } = useTranslation();
  const { unit } = useRuleText();
  const errorText = useErrorText();
  const [value, setValue] = useState(setting.value);
  const [reason, setReason] = useState('');
  const { busy, failure, run, field } = useSubmit(changeSetting, ({ status }) => {
    toast.success(status === 'waiting' ? t(($) => $.ordered) : t(($) => $.changed));
    onDone();
  });
  const [asked] = useDebouncedValue(written(setting, value), 300);
  const changes = { [setting.key]: asked };
  const preview = useQuery({
    queryKey: ['rules-preview', setting.key, asked],
    queryFn: () => body(api.POST('/admin/settings/preview', { body: { changes } })),
    enabled: asked !== setting.value && asked !== '',
    retry: false,
  });
  const refused = preview.error ? asApiError(preview.error).field(setting.key) : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run({ revision, changes: { [setting.key]: written(setting, value) }, reason });
  };
  const isFlag = setting.kind === 'flag';
  const bounds = isFlag
    ? undefined
    : setting.kind === 'text'
      ? t(($) => $.length, { most: setting.most })
      : t(($) => $.bounds, {
          least: unit(setting.least, kindOfBound(setting)),
          most: unit(setting.most, kindOfBound(setting)),
        });
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Table>
          <Table.Tbody>
            <Table.Tr>
              <Table.Th scope="row" fw={500}>
                {t(($) => $.now)}
              </Table.Th>
              <Table.Td ta="right" className="num">
                {unit(setting.value, setting.kind)}
              </Table.Td>
            </Table.Tr>
            <Table.Tr>
              <Table.Th scope="row" fw={500}>
                {t(($) => $.default)}
              </Table.Th>
              <Table.Td ta="right" className="num">
                {unit(setting.default, setting.kind)}
              </Table.Td>
            </Table.Tr>
          </Table.Tbody>
        </Table>
        {isFlag ? (
          <NativeSelect
            label={t(($) => $.newValue)}
            data={['true', 'false'].map((each) => ({ value: each, label: unit(each, 'flag') }))}
            value={value}
            onChange={(event) => setValue(event.currentTarget.value)}
            error={refused ?? field(setting.key)}
            data-autofocus
          />
        ) : (
          <TextInput
            label={t(($) => $.newValue)}
            description={bounds}
            value={value}
            onChange={(event) => setValue(event.currentTarget.value)}
            error={refused ?? field(setting.key)}
            inputMode={setting.kind === 'text' || setting.kind === 'monthDays' ? 'text' : 'decimal'}
            data-autofocus
            required
          />
        )}
        <Effects loading={preview.isFetching} effects={preview.data?.effects} />
        {setting.money && (
          <Alert color="gold" variant="light" icon={<IconUsers size={18} aria-hidden />}>
            {t(($) => $.moneyHint)}
          </Alert>
        )}
        <Textarea
          label={t(($) => $.reason)}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          error={field('reason')}
          maxLength={500}
          minRows={2}
          autosize
          required
        />
        {failure && !field(setting.key) && !field('reason') && (
          <Text c="red" fz="sm" role="alert">
            {errorText(failure.error)}
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {common(($) => $.actions.cancel)}
          </Button>
          <Button
            type="submit"
            loading={busy}
            disabled={
              written(setting, value) === setting.value || value.trim() === '' || reason.trim() === ''
            }
          >
            {setting.money ? t(($) => $.order) : t(($) => $.change)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The bounds of days of a month are days, of other lists too. */
const kindOfBound = (setting: Setting) => (setting.kind === 'monthDays' ? ('count' as const) : setting.kind);

interface EffectsProps {
  loading: boolean;
  effects:
    | readonly { code: string; before?: string | null; after?: string | null; count?: number | null }[]
    | undefined;
}

/** What the new value does, in plain figures. */
function Effects({ loading, effects }: EffectsProps) {
  const { t } = useTranslation('rules');
  const format = useFormat();
  if (loading && !effects) return <Skeleton h={64} radius="md" />;
  if (!effects || effects.length === 0) return null;
  const figure = (value: string) =>
    /^\d{4}-/.test(value)
      ? format.date(value)
      : value
          .split(' / ')
          .map((one) => format.usdt(one, 2))
          .join(' / ');
  return (
    <section aria-live="polite">
      <Text fz="sm" fw={600} mb={4}>
        {t(($) => $.effect)}
      </Text>
      <Stack component="ul" gap={4} m={0} pl="md">
        {effects.map(({ code, before, after, count }) => (
          <Text component="li" key={code} fz="sm">
            {typeof count === 'number'
              ? t(($) => $.effects[code as EffectCode], { number: format.count(count) })
              : t(($) => $.effects[code as EffectCode], {
                  before: figure(before ?? ''),
                  after: figure(after ?? ''),
                })}
          </Text>
        ))}
      </Stack>
    </section>
  );
}
