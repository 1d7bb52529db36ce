import { Stack, Text, Title } from '@mantine/core';
import { blocksOf } from './blocks';
import classes from './Content.module.css';

/** A text of an item, in its own language. */
export function Article({ text, language }: { text: string; language: string }) {
  const blocks = blocksOf(text);
  if (blocks.length === 0) return null;
  return (
    <Stack gap="sm" className={classes.article} lang={language} component="article">
      {blocks.map((block, at) => {
        const key = `${at}`;
        if (block.kind === 'heading')
          return (
            <Title key={key} order={3} fz={16} mt={6}>
              {block.text}
            </Title>
          );
        if (block.kind === 'paragraph')
          return (
            <Text key={key} fz="sm">
              {block.text}
            </Text>
          );
        return (
          <ul key={key} style={{ margin: 0, paddingLeft: 20 }}>
            {block.items.map((item, nth) => {
              const line = `${nth} ${item}`;
              return (
                <Text key={line} component="li" fz="sm">
                  {item}
                </Text>
              );
            })}
          </ul>
        );
      })}
    </Stack>
  );
}
