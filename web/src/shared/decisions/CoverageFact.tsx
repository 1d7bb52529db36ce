import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { useFormat } from '@/ui/format';

/** What a withdrawal does to the coverage: before → after, as the server computes it. Without numbers a dash. */
export function CoverageFact({
  kind,
  id,
  enabled,
}: {
  kind: 'crypto' | 'pix';
  id: string;
  enabled: boolean;
}) {
  const { t } = useTranslation('shell');
  const format = useFormat();
  const { data } = $api.useQuery(
    'get',
    '/admin/coverage/{kind}/{id}',
    { params: { path: { kind, id } } },
    { enabled, retry: false },
  );
  if (!data?.before || !data.after) return <span data-testid="coverage-effect">–</span>;
  const [before, after] = [format.percent(data.before), format.percent(data.after)];
  return (
    <span className="num" data-testid="coverage-effect" title={t(($) => $.coverage.hint)}>
      <span aria-hidden>
        <span>{before}</span> → <span>{after}</span>
      </span>
      <span className="sr-only">{t(($) => $.coverage.effect, { before, after })}</span>
    </span>
  );
}
