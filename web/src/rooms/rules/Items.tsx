import { Text } from '@mantine/core';
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
    <ul style={{ margin: 0, padding: 0, listStyle: 'none' }}>
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
    </ul>
  );
}
