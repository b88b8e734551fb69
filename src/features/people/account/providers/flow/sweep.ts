import type { Job } from '../../../../../platform/background.ts'
import type { Platform } from '../../../../../platform/platform.ts'
import * as store from '../store.ts'
import { flowLifetimeSeconds } from './flow.ts'

/** Deletes flows whose user never came back from the provider. */
export function providerFlowSweep({ meta, now }: Platform): Job {
  return {
    name: 'provider-flows',
    everySeconds: flowLifetimeSeconds,
    run: () => store.deleteExpiredFlows(meta, now()),
  }
}
