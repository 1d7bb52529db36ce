import { Box, Text } from '@mantine/core';
import { plainList } from '@/ui/plainList';
import { type Change, type Kind, TERMS, useRuleText } from './rules';

interface ItemsProps {
  change: Pick<Change, 'kind' | 'items'>;
  kindOf: (key: string) => Kind | 'flag';
}

/** What a change changes: before → after, line by line. */
export function Items({ change, kindOf }: ItemsProps) {
  const { unit, name, term } = useRuleText();
  const plan = change.kind === 'plan';
  return (
    <Box component="ul" {...plainList}>
      {change.items.map(({ key, before, after }) => {
        const kind = plan ? (TERMS[key] ?? 'text') : kindOf(key);
        return (
          <Text component="li" key={key} fz="sm" className="num">
            <Text span fw={550} fz="sm">
              {plan ? term(key) : name(key)}
            </Text>
            {': '}
            {typeof before === 'string' && (
              <Text span fz="sm" c="dimmed">
                <span>{unit(before, kind)}</span> →{' '}
              </Text>
            )}
            <span>{unit(after, kind)}</span>
          </Text>
        );
      })}
    </Box>
  );
}
