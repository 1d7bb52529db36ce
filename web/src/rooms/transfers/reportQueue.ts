/** The held transfers as those who decide see them: types and caches. */
import type { Schemas } from '@/api/client';
import { queryClient } from '@/api/queryClient';
import type { Transfer } from './transfers';

export type ReportRow = Schemas['TransferReportRow'];
export type Report = Schemas['TransferReport'];

export const REPORT = ['get', '/admin/transfers-reports'] as const;

/** Writes a transfer's newest state over the rows that show it: a decided row stays where it is, greyed, until the next load. */
export function patchReport(transfer: Transfer, waiting?: number): boolean {
  let shown = false;
  queryClient.setQueriesData<Report>({ queryKey: REPORT }, (page) => {
    if (!page) return page;
    const has = page.data.some(({ _id }) => _id === transfer._id);
    shown ||= has;
    return {
      ...page,
      waiting: waiting ?? page.waiting,
      data: has
        ? page.data.map((row) =>
            row._id === transfer._id && row.version < transfer.version ? { ...row, ...transfer } : row,
          )
        : page.data,
    };
  });
  return shown;
}

export const refetchReport = () => queryClient.invalidateQueries({ queryKey: REPORT });
