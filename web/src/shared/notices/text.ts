/** A notification is a code and its values; the sentence is ours, in the reader's language. */

import type { Schemas } from '@/api/client';
import { currentUser } from '@/api/session';
import { i18n } from '@/i18n';
import { DEFAULT_LOCALE, isLocale, LANGUAGE_TAGS, type Locale } from '@/i18n/locales';
import type notifications from '@/i18n/pt/notifications.json';
import type { Mode } from '@/shared/results/ModeBadge';
import { formatBrl, formatDateTime, formatDecimal, formatUsdt, zoneOf } from '@/ui/format';
import { isDecimal, placesOf } from '@/ui/money';

let registered = false;

const BRIEF = 20;
/** A stranger's words (a name, a reason) stay short enough for a line of 90 characters. */
const brief = (text: string) => (text.length > BRIEF ? `${text.slice(0, BRIEF - 1).trimEnd()}…` : text);

/** `{{value, usdt}}`, `{{value, brl}}`, `{{at, when}}`, `{{amount, coins}}`, `{{rank, rank}}`, `{{lost, lost}}` write a canonical value the reader's way; `{{text, brief}}` shortens, `{{title, words}}` are those of one's language. */
export function registerFormats() {
  if (registered) return;
  registered = true;
  const tag = (locale: string | undefined) => LANGUAGE_TAGS[(locale ?? 'pt') as Locale] ?? 'pt-BR';
  i18n.services.formatter?.add('usdt', (value, locale) => {
    const sum = String(value);
    return formatUsdt(tag(locale), sum, isDecimal(sum) ? placesOf(sum, 2) : 2);
  });
  i18n.services.formatter?.add('brl', (value, locale) => formatBrl(tag(locale), String(value)));
  i18n.services.formatter?.add('coins', (value, locale) => {
    const text = String(value ?? '0');
    const length = text.split('.')[1]?.length ?? 0;
    return formatDecimal(tag(locale), text, length <= 2 ? 2 : length <= 4 ? 4 : length <= 6 ? 6 : 8);
  });
  i18n.services.formatter?.add('brief', (value) => brief(String(value ?? '–')));
  i18n.services.formatter?.add('words', (value, locale) => {
    const words = value as Partial<Record<Locale, string>> | null | undefined;
    return words?.[isLocale(locale) ? locale : DEFAULT_LOCALE] ?? '–';
  });
  i18n.services.formatter?.add('mode', (value) => i18n.t(($) => $.mode.name[value as Mode], { ns: 'shell' }));
  i18n.services.formatter?.add('rank', (value) =>
    i18n.t(($) => $.ranks[value as Schemas['Rank']], { ns: 'shell' }),
  );
  i18n.services.formatter?.add('lost', (value) =>
    i18n.t(($) => $.lostBonus[value as Schemas['LostReason']], { ns: 'shell' }),
  );
  i18n.services.formatter?.add('when', (value, locale) =>
    formatDateTime(tag(locale), String(value), false, zoneOf(currentUser())),
  );
}

type Text = keyof typeof notifications;
/** A sentence that counts has a text for each form. */
type Code = Text extends infer T ? (T extends `${infer Base}_${'one' | 'many' | 'other'}` ? Base : T) : never;
const isCode = (code: string, params: Record<string, unknown>): code is Code =>
  i18n.exists(`notifications:${code}`, params);

export function notificationText(code: string, params: Record<string, unknown>): string {
  registerFormats();
  return isCode(code, params)
    ? i18n.t(($) => $[code], { ...params, ns: 'notifications' })
    : i18n.t(($) => $.notification.unknown, params);
}
