import type { CustomTypeOptions } from 'i18next';

/** The text files there are: one per room, `common` for what all share, `shell` for the frame around the screens. */
export type Namespace = keyof CustomTypeOptions['resources'];
