// How the user decided about the findings of each agent.
import type { AgentRecord, TrackRecord } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { writesSettled } from '../app/write-queue';

class TrackRecordState {
  view = $state.raw<TrackRecord | null>(null);

  /** Loads the records. Without them, nothing is shown beside the names of agents. */
  async load(): Promise<void> {
    try {
      // The latest decision counts, too.
      await writesSettled();
      this.view = await connection.client.call('agents.record');
    } catch {
      this.view = null;
    }
  }

  /** Returns the record of an agent over all its models. */
  of(agent: string): AgentRecord | null {
    return this.view?.agents.find((one) => one.agent === agent) ?? null;
  }
}

export const trackRecord = new TrackRecordState();
