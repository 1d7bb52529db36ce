/** Short messages: on screen for 3 s [docs/rules/web.md#messages] (paused while pointed at or focused), then kept for the notification panel. */
import { create } from 'zustand';

export type ToastTone = 'success' | 'info' | 'danger';

export interface Toast {
  id: number;
  tone: ToastTone;
  text: string;
  at: number;
  /** How many of the same group this one stands for. */
  count: number;
  group: string | null;
}

interface ToastState {
  shown: Toast[];
  kept: Toast[];
}

const KEPT = 50;
const SHOWN = 4;
let next = 1;

export const useToasts = create<ToastState>()(() => ({ shown: [], kept: [] }));

interface ToastOptions {
  /** A burst of one group replaces its toast instead of stacking: `text` is then called with how many came. */
  group?: string;
}

/** For the panel alone: what the page itself has said for a moment. */
export const keepToast = (tone: ToastTone, text: string) =>
  useToasts.setState(({ kept }) => {
    const toast: Toast = { id: next++, tone, text, at: Date.now(), count: 1, group: null };
    return { kept: [toast, ...kept].slice(0, KEPT) };
  });

function show(
  tone: ToastTone,
  text: string | ((count: number) => string),
  { group = '' }: ToastOptions = {},
) {
  useToasts.setState(({ shown, kept }) => {
    const before = group === '' ? undefined : shown.find((toast) => toast.group === group);
    const count = (before?.count ?? 0) + 1;
    const toast: Toast = {
      id: before?.id ?? next++,
      tone,
      text: typeof text === 'string' ? text : text(count),
      at: Date.now(),
      count,
      group: group || null,
    };
    const others = (list: Toast[]) => list.filter(({ id }) => id !== toast.id);
    return { shown: [...others(shown), toast].slice(-SHOWN), kept: [toast, ...others(kept)].slice(0, KEPT) };
  });
}

export const toast = {
  success: (text: string | ((count: number) => string), options?: ToastOptions) =>
    show('success', text, options),
  info: (text: string | ((count: number) => string), options?: ToastOptions) => show('info', text, options),
  danger: (text: string | ((count: number) => string), options?: ToastOptions) =>
    show('danger', text, options),
};

export const dismissToast = (id: number) =>
  useToasts.setState(({ shown }) => ({ shown: shown.filter((toast) => toast.id !== id) }));

export const clearToasts = () => useToasts.setState({ shown: [], kept: [] });
