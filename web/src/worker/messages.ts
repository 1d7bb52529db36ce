/** What the worker and the pages say to each other. */

/** To a page: go there, if you can, and say so over the port. */
export interface Open {
  type: 'open';
  url: string;
}

/** To all pages: the browser has another subscription now. */
export interface Resubscribed {
  type: 'resubscribed';
}

export type ToPage = Open | Resubscribed;

export function isToPage(data: unknown): data is ToPage {
  if (typeof data !== 'object' || data === null || !('type' in data)) return false;
  return (
    data.type === 'resubscribed' || (data.type === 'open' && 'url' in data && typeof data.url === 'string')
  );
}
