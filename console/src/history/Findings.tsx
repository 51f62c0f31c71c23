import type { components } from '~/api/schema';
import { useBook } from '~/book/types';

/** Findings of an audit. */
export function Findings({ audit }: { readonly audit: components['schemas']['Audit'] }) {
  const { accountById } = useBook();
  return (
    <table className="plain-table" aria-label="Findings of the audit">
      <thead><tr><th scope="col">Kind</th><th scope="col">Of</th><th scope="col">Expected</th><th scope="col">Found</th></tr></thead>
      <tbody>
        {audit.findings.map((finding, index) => (
          <tr key={index}>
            <td>{finding.kind}</td>
            <td><bdi>{accountById.get(finding.resource ?? '')?.name ?? finding.resource}</bdi> {finding.period}</td>
            <td><bdi>{finding.expected}</bdi></td>
            <td><bdi>{finding.actual}</bdi></td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
