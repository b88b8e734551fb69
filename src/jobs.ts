import { auditSweep } from './features/audit/sweep.ts'
import { relayJob } from './features/events/relay/relay.ts'
import { eventSweep } from './features/events/sweep.ts'
import { grantsSweep } from './features/grants/sweep.ts'
import { storesJob } from './features/health/clocks.ts'
import { idempotencySweep } from './features/idempotency/idempotency.ts'
import { codeSweep } from './features/identity/codes/codes.ts'
import { providerFlowSweep } from './features/identity/providers/flow/sweep.ts'
import { mailJob } from './features/mail/queue.ts'
import { erasureJob } from './features/moves/erasure.ts'
import { moveJob } from './features/moves/moving.ts'
import { announcementsJob } from './features/notifications/announcements/announcing.ts'
import { sessionSweep } from './features/sessions/sessions.ts'
import { signingKeysJob } from './features/signing/rotation.ts'
import { deliverySweep } from './features/webhooks/deliveries/deliveries.ts'
import { webhooksJob } from './features/webhooks/lanes/dispatcher.ts'
import type { Job } from './platform/background.ts'
import { keyValueSweep } from './platform/key-value/table.ts'
import type { Platform } from './platform/platform.ts'
import { rowCountsJob } from './platform/row-counts.ts'

/** All background work. Several processes can run each job at once. */
export function backgroundJobs(platform: Platform): readonly Job[] {
  return [
    storesJob(platform),
    keyValueSweep(platform.meta, platform.now),
    mailJob(platform),
    announcementsJob(platform),
    codeSweep(platform),
    sessionSweep(platform),
    providerFlowSweep(platform),
    grantsSweep(platform),
    erasureJob(platform),
    auditSweep(platform),
    relayJob(platform),
    eventSweep(platform),
    webhooksJob(platform),
    deliverySweep(platform),
    moveJob(platform),
    idempotencySweep(platform),
    signingKeysJob(platform),
    rowCountsJob(platform),
  ]
}
