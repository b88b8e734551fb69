import { approvalJobs } from './features/access/approvals/sweep.ts'
import { grantActsJob } from './features/access/grant-calls/acts.ts'
import { deleteActsOf } from './features/access/grant-calls/statements.ts'
import { grantsSweep } from './features/access/grants/sweep.ts'
import { refusalJobs } from './features/access/refusals/refusals.ts'
import { announcementMailJob, mailJob } from './features/delivery/mail/queue.ts'
import { receiptJobs } from './features/delivery/revocations/receipts/telling.ts'
import { deliverySweep } from './features/delivery/webhooks/deliveries/deliveries.ts'
import { webhooksJob } from './features/delivery/webhooks/lanes/dispatcher.ts'
import { webhookUpkeepJob } from './features/delivery/webhooks/upkeep.ts'
import { auditSweep } from './features/ground/audit/sweep.ts'
import { relayJob } from './features/ground/events/relay/relay.ts'
import { eventSweep } from './features/ground/events/sweep.ts'
import { storesJob } from './features/ground/health/clocks.ts'
import { idempotencySweep } from './features/ground/idempotency/idempotency.ts'
import { productPagesJob } from './features/ground/settings/brand/product-pages.ts'
import { signingKeysJob } from './features/ground/signing/rotation.ts'
import { announcementsJob } from './features/operations/notifications/announcements/announcing.ts'
import { heldNotificationsJob } from './features/operations/notifications/spreading.ts'
import { mailedCodeSweep } from './features/people/account/codes/sweep.ts'
import { providerFlowSweep } from './features/people/account/providers/flow/flow.ts'
import { addressesJob } from './features/people/account/providers/folding.ts'
import { unverifiedAccountsJob } from './features/people/account/unverified.ts'
import { impersonationsJob, impersonationsSweep } from './features/people/impersonations/ending.ts'
import { ORGANIZATION_SEARCH } from './features/people/memberships/statements.ts'
import { invitationSweep } from './features/people/organizations/invitations/sweep.ts'
import { organizationRemains } from './features/people/organizations/remains.ts'
import { sessionSweep } from './features/people/sessions/sweep.ts'
import { searchIndexJob } from './features/people/users/search-index.ts'
import { USER_SEARCH } from './features/people/users/searching.ts'
import { erasureJob, erasureSweep } from './features/tenancy/moves/erasure.ts'
import { moveJob } from './features/tenancy/moves/moving.ts'
import type { Job } from './platform/background.ts'
import { keyValueSweep } from './platform/key-value/table.ts'
import type { Platform } from './platform/platform.ts'
import { rowCountsJob, rowCountsSweep } from './platform/row-counts.ts'

/** All background work. Several processes can run each job at once. */
export function backgroundJobs(platform: Platform): readonly Job[] {
  return [
    storesJob(platform),
    keyValueSweep(platform.meta, platform.now),
    mailJob(platform),
    announcementMailJob(platform),
    announcementsJob(platform),
    heldNotificationsJob(platform),
    mailedCodeSweep(platform),
    sessionSweep(platform),
    impersonationsJob(platform),
    impersonationsSweep(platform),
    organizationRemains(platform),
    invitationSweep(platform),
    providerFlowSweep(platform),
    grantsSweep(platform, deleteActsOf),
    unverifiedAccountsJob(platform),
    erasureJob(platform),
    erasureSweep(platform),
    auditSweep(platform),
    relayJob(platform),
    eventSweep(platform),
    webhooksJob(platform),
    webhookUpkeepJob(platform),
    deliverySweep(platform),
    moveJob(platform),
    idempotencySweep(platform),
    signingKeysJob(platform),
    rowCountsJob(platform),
    rowCountsSweep(platform),
    productPagesJob(platform),
    searchIndexJob(platform, [USER_SEARCH, ORGANIZATION_SEARCH]),
    grantActsJob(platform),
    addressesJob(platform),
    ...approvalJobs(platform),
    ...refusalJobs(platform),
    ...receiptJobs(platform),
  ]
}
