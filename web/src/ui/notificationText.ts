/** A notification is a code and its values; the sentence is ours, in the reader's language. */
import { i18n } from '@/i18n';
import { LANGUAGE_TAGS, type Locale } from '@/i18n/locales';
import { formatBrl, formatDateTime, formatDecimal, formatUsdt } from './format';
import type { Mode } from './ModeBadge';

let registered = false;

const BRIEF = 20;
/** A stranger's words (a name, a reason) stay short enough for a line of 90 characters. */
const brief = (text: string) => (text.length > BRIEF ? `${text.slice(0, BRIEF - 1).trimEnd()}…` : text);

/** `{{value, usdt}}`, `{{value, brl}}`, `{{at, when}}`, `{{amount, coins}}` write a canonical value the reader's way; `{{text, brief}}` shortens. */
export function registerFormats() {
  if (registered) return;
  registered = true;
  const tag = (locale: string | undefined) => LANGUAGE_TAGS[(locale ?? 'pt') as Locale] ?? 'pt-BR';
  i18n.services.formatter?.add('usdt', (value, locale) => formatUsdt(tag(locale), String(value)));
  i18n.services.formatter?.add('brl', (value, locale) => formatBrl(tag(locale), String(value)));
  i18n.services.formatter?.add('coins', (value, locale) => {
    const text = String(value ?? '0');
    const length = text.split('.')[1]?.length ?? 0;
    return formatDecimal(tag(locale), text, length <= 2 ? 2 : length <= 4 ? 4 : length <= 6 ? 6 : 8);
  });
  i18n.services.formatter?.add('brief', (value) => brief(String(value ?? '–')));
  i18n.services.formatter?.add('mode', (value) => i18n.t(($) => $.mode.name[value as Mode]));
  i18n.services.formatter?.add('when', (value, locale) => formatDateTime(tag(locale), String(value)));
}

export function notificationText(code: string, params: Record<string, unknown>): string {
  registerFormats();
  const read = i18n.t as unknown as (key: string, options: Record<string, unknown>) => string;
  const key = `notifications:${code}`;
  return i18n.exists(key, params) ? read(key, params) : read('common:notification.unknown', params);
}
