import { instance } from './meta/0001-instance.ts'
import { identity } from './meta/0002-identity.ts'
import { grants } from './meta/0003-grants.ts'
import { operations } from './meta/0004-operations.ts'
import { background } from './meta/0005-background.ts'
import {
  confirmedSessions,
  proofOfAddress,
  settingsToken,
  signupReward,
  unexpiredAccess,
} from './meta/0006-to-0010.ts'
import {
  accountIssuer,
  freeCodesAndShardsOfMoves,
  idempotencyKeys,
  mailedLinks,
  rotationOrigin,
} from './meta/0011-to-0015.ts'
import { signingKeys } from './meta/0016-signing-keys.ts'
import { brand } from './meta/0017-brand.ts'
import { events } from './meta/0018-events.ts'
import { factors } from './meta/0019-factors.ts'
import { settingsHistory } from './meta/0020-settings-history.ts'
import { applications } from './meta/0021-applications.ts'
import { webhooks } from './meta/0022-webhooks.ts'
import { passkeysAlone } from './meta/0023-passkeys-alone.ts'
import {
  countsFilled,
  eventCounts,
  notificationCounts,
  notificationCountsFilled,
  userCounts,
} from './meta/0024-to-0028.ts'
import { mailedCodes } from './meta/0029-mailed-codes.ts'
import { refusedAddresses } from './meta/0029-refused-addresses.ts'
import { passkeyDomains } from './meta/0031-passkey-domains.ts'
import { clientsOfOthers } from './meta/0033-clients-of-others.ts'
import { signInsOfApplications } from './meta/0034-sign-ins-of-applications.ts'
import { announcements } from './meta/0036-announcements.ts'
import { assistants } from './meta/0037-assistants.ts'
import { approvals } from './meta/0038-approvals.ts'
import { search } from './meta/0040-search.ts'
import type { Migration } from './migrate.ts'

export const metaMigrations: readonly Migration[] = [
  { name: '0001-instance', up: instance },
  { name: '0002-identity', up: identity },
  { name: '0003-grants', up: grants },
  { name: '0004-operations', up: operations },
  { name: '0005-background', up: background },
  { name: '0006-living-access', up: unexpiredAccess },
  { name: '0007-settings-token', up: settingsToken },
  { name: '0008-proof-of-address', up: proofOfAddress },
  { name: '0009-signup-reward', up: signupReward },
  { name: '0010-confirmed-sessions', up: confirmedSessions },
  { name: '0011-idempotency-keys', up: idempotencyKeys },
  { name: '0012-mailed-links', up: mailedLinks },
  { name: '0013-rotation-origin', up: rotationOrigin },
  { name: '0014-account-issuer', up: accountIssuer },
  { name: '0015-free-codes-and-shards-of-moves', up: freeCodesAndShardsOfMoves },
  { name: '0016-signing-keys', up: signingKeys },
  { name: '0017-brand', up: brand },
  { name: '0018-events', up: events },
  { name: '0019-factors', up: factors },
  { name: '0020-settings-history', up: settingsHistory },
  { name: '0021-applications', up: applications },
  { name: '0022-webhooks', up: webhooks },
  { name: '0023-passkeys-alone', up: passkeysAlone },
  { name: '0024-event-counts', up: eventCounts },
  { name: '0025-user-counts', up: userCounts },
  { name: '0026-counts-filled', up: countsFilled },
  { name: '0027-notification-counts', up: notificationCounts },
  { name: '0028-notification-counts-filled', up: notificationCountsFilled },
  { name: '0029-mailed-codes', up: mailedCodes },
  { name: '0029-refused-addresses', up: refusedAddresses },
  { name: '0031-passkey-domains', up: passkeyDomains },
  { name: '0033-clients-of-others', up: clientsOfOthers },
  { name: '0034-sign-ins-of-applications', up: signInsOfApplications },
  { name: '0036-announcements', up: announcements },
  { name: '0037-assistants', up: assistants },
  { name: '0038-approvals', up: approvals },
  { name: '0040-search', up: search },
]
