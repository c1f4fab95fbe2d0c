// An interrupted run of the open change: its reusable parts, and resuming it.
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { ResumeView, InterruptedRun } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { desk } from '../desk/desk.svelte';
import { openChange } from '../change/open-change.svelte';
import { run } from '../review/run.svelte';

class Resume {
  item = $state.raw<InterruptedRun | null>(null);
  plan = $state.raw<ResumeView | null>(null);
  error = $state.raw<CoreError | null>(null);

  /** Loads the parts that are reused and the parts that would be requested again. */
  async prepare(item: InterruptedRun): Promise<void> {
    this.item = item;
    this.plan = null;
    this.error = null;
    desk.overlay = 'resume';
    try {
      const { run_id } = item;
      const plan = await openChange.call((change_id) =>
        connection.client.call('run.plan', { change_id, run_id }),
      );
      if (this.item === item) this.plan = plan;
    } catch (thrown) {
      if (this.item === item) this.error = toCoreError(thrown);
    }
  }

  start(): void {
    const { item, plan } = this;
    desk.overlay = null;
    if (item && plan) void run.resume(item.run_id, plan.agents);
  }
}

export const resume = new Resume();
