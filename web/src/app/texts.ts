import type { CustomTypeOptions } from 'i18next';

/** The text files there are: one per room, `common` for what all share, the sign-in too; `shell` for the frame around the screens and the words of more than one room; `lists` for the kit of lists, queues and forms. */
export type Namespace = keyof CustomTypeOptions['resources'];
