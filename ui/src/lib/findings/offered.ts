// The findings that are offered for posting.
import type { FindingView } from '../../rpc/types.gen';

/** Returns the keys of the accepted findings. Without any, those of the undecided ones whose verdict is not contradicted. */
export function offeredFindings(findings: readonly FindingView[]): string[] {
  const accepted = findings.filter((one) => one.decision === 'accepted');
  const open = findings.filter((one) => one.decision === 'open' && one.finding.verdict !== 'contradicted');
  return (accepted.length > 0 ? accepted : open).map((one) => one.finding.key);
}
