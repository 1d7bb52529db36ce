/** The public configuration: which world this is, what the house is called. Asked once per page load. */
import { create } from 'zustand';
import { type Answer, api, body } from './client';
import { setServerTime } from './clock';

export type PublicConfig = Answer<'/config', 'get'>;

export const useConfig = create<{ config: PublicConfig | null }>()(() => ({ config: null }));

let pending: Promise<void> | null = null;

export function loadConfig(): Promise<void> {
  if (useConfig.getState().config) return Promise.resolve();
  pending ??= body(api.GET('/config'))
    .then((config) => {
      setServerTime(config.now);
      useConfig.setState({ config });
    })
    .catch(() => {})
    .finally(() => {
      pending = null;
    });
  return pending;
}
