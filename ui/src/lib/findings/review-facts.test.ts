import { describe, expect, it } from 'vitest';
import type { ReviewView } from '../../rpc/types.gen';
import { isReviewed, reviewFacts } from './review-facts';

const by = (agent: string) =>
  ({
    created_at: '2026-01-02T03:04:05Z',
    meta: { agent, timings: { total_ms: 0 }, attempts: 0, coverage: '88% of changed lines sent' },
  }) as unknown as ReviewView;

describe('facts of a review', () => {
  it('says “Not reviewed” if there are only the user’s findings', () => {
    expect([isReviewed(null), isReviewed(by('you')), isReviewed(by('codex'))]).toEqual([false, false, true]);
    const names = (agent: string) => reviewFacts(by(agent), (name) => name).map(([name]) => name);
    expect(names('you')).toEqual(['Not reviewed']);
    expect(names('codex')).toEqual(['Reviewed', 'Agent', 'Duration', 'Coverage']);
  });

  it('shows how the agent was confined', () => {
    const sandbox = (receipt: object) => {
      const view = by('codex');
      view.meta.agents = [{ name: 'codex', sandbox: receipt }] as unknown as typeof view.meta.agents;
      return reviewFacts(view, (name) => name).find(([name]) => name === 'Sandbox')?.[1];
    };
    const connections = [
      { host: 'api.openai.com:443', allowed: true },
      { host: 'example.com:443', allowed: false },
    ];
    expect(sandbox({ mechanism: 'bubblewrap', connections })).toBe(
      'bubblewrap; connected to api.openai.com:443; refused example.com:443',
    );
    expect(sandbox({ mechanism: 'none', reason: 'bubblewrap is not installed' })).toBe(
      'none, bubblewrap is not installed',
    );
  });
});
