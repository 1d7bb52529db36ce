/** What every calendar of ours is told: the reader's language and first day of the week, names for its arrows, where it opens. */
import 'dayjs/locale/es';
import 'dayjs/locale/pt-br';
import type { DayOfWeek } from '@mantine/dates';
import { useTranslation } from 'react-i18next';
import { isLocale, type Locale } from '@/i18n/locales';

const NAMES: Record<Locale, string> = { pt: 'pt-br', en: 'en', es: 'es' };
const FIRST: Record<Locale, DayOfWeek> = { pt: 0, en: 0, es: 1 };

export function useCalendar() {
  const { i18n } = useTranslation();
  const { t: lists } = useTranslation('lists');
  const locale = isLocale(i18n.language) ? i18n.language : 'pt';
  return {
    locale: NAMES[locale],
    firstDayOfWeek: FIRST[locale],
    // Red is a loss here, not a Sunday.
    weekendDays: [],
    ariaLabels: {
      nextMonth: lists(($) => $.calendar.nextMonth),
      previousMonth: lists(($) => $.calendar.previousMonth),
      nextYear: lists(($) => $.calendar.nextYear),
      previousYear: lists(($) => $.calendar.previousYear),
      nextDecade: lists(($) => $.calendar.nextYears),
      previousDecade: lists(($) => $.calendar.previousYears),
    },
    popoverProps: { returnFocus: true },
  };
}
