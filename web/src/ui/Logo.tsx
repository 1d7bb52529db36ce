import { Text } from '@mantine/core';
import { useConfig } from '@/api/config';
import classes from './Logo.module.css';

/** The mark: a tree whose crown is three nodes. The name is a setting of the house. */
export function Logo({ size = 34 }: { size?: number }) {
  const name = useConfig((state) => state.config?.brand) ?? 'Arbora';
  return (
    <span className={classes.logo}>
      <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden>
        <rect width="32" height="32" rx="9" className={classes.ground} />
        <g fill="none" stroke="#03140d" strokeWidth="2.7" strokeLinecap="round" strokeLinejoin="round">
          <path d="M16 26V13" />
          <path d="M16 20.5c-4.6 0-7-2.6-7-7" />
          <path d="M16 16.5c4.6 0 7-2.6 7-7" />
        </g>
        <g fill="#03140d">
          <circle cx="9" cy="11" r="2.3" />
          <circle cx="23" cy="7.5" r="2.3" />
          <circle cx="16" cy="10.5" r="2.3" />
        </g>
      </svg>
      <Text span fw={700} fz={19} lts="-0.02em">
        {name}
      </Text>
    </span>
  );
}
