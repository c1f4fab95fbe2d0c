// The track record of an agent as text.
import type { AgentRecord, Tally } from '../rpc/types.gen';
import { agentsTexts } from './texts/agents';

const percent = (share: number) => Math.round(share * 100);

/** Returns the likely share of accepted findings. Null for fewer than ten decisions. */
export function shareText(tally: Tally): string | null {
  const { accepted, dismissed, accepted_share: share } = tally;
  return share
    ? agentsTexts.record.share(percent(share.low), percent(share.high), accepted + dismissed)
    : null;
}

/** Returns the counts of a tally: the share, or what is missing for it; posted and resolved findings. */
export function tallyText(tally: Tally): string {
  const share = shareText(tally) ?? agentsTexts.record.tooFew(tally.accepted, tally.dismissed);
  return [share, agentsTexts.record.fates(tally.posted, tally.resolved)].join(', ');
}

/** Returns the rows of a record: all findings, then each model, category and severity. */
export function recordRows(
  record: AgentRecord,
  models: readonly AgentRecord[],
): [name: string, text: string][] {
  const ofModels = models.filter((one) => one.agent === record.agent);
  return [
    [agentsTexts.record.all, tallyText(record.total)],
    ...ofModels.map((one): [string, string] => [
      agentsTexts.record.model(one.model ?? null),
      tallyText(one.total),
    ]),
    ...record.categories.map((one): [string, string] => [one.category, tallyText(one.tally)]),
    ...record.severities.map((one): [string, string] => [
      agentsTexts.record.severity(one.severity),
      tallyText(one.tally),
    ]),
  ];
}
