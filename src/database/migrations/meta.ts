import { accessTables } from './baseline/access.ts'
import { counts } from './baseline/counts.ts'
import { instanceTables, keyValueTable } from './baseline/instance.ts'
import { operationsTables } from './baseline/operations.ts'
import { peopleTables } from './baseline/people.ts'
import { statement } from './counting.ts'
import { tokenExchange } from './meta/0002-token-exchange.ts'
import { approvalAsker } from './meta/0003-approval-asker.ts'
import { userSearch } from './meta/0004-user-search.ts'
import { lettersAsData } from './meta/0005-letters-as-data.ts'
import { registeredFrom } from './meta/0006-registered-from.ts'
import { sealedApprovals } from './meta/0007-sealed-approvals.ts'
import { knownNetworks } from './meta/0008-known-networks.ts'
import { refusedActs } from './meta/0009-refused-acts.ts'
import { applicationRefusals } from './meta/0010-application-refusals.ts'
import { userHandle } from './meta/0011-user-handle.ts'
import { notedUse } from './meta/0012-noted-use.ts'
import { keysOfSettings } from './meta/0013-keys-of-settings.ts'
import { organizations } from './meta/0014-organizations.ts'
import { userData } from './meta/0015-user-data.ts'
import { breachedPasswords } from './meta/0016-breached-passwords.ts'
import { wordsOfNotifications } from './meta/0017-words-of-notifications.ts'
import { announcementsToCome } from './meta/0018-announcements-to-come.ts'
import { savedReplies } from './meta/0019-saved-replies.ts'
import { staff } from './meta/0020-staff.ts'
import { applicationBrand } from './meta/0021-application-brand.ts'
import { hooks } from './meta/0022-hooks.ts'
import { organizationData } from './meta/0023-organization-data.ts'
import { sweptEvents } from './meta/0024-swept-events.ts'
import { impersonations } from './meta/0025-impersonations.ts'
import { emailChanges } from './meta/0026-email-changes.ts'
import { organizationSearch } from './meta/0027-organization-search.ts'
import type { Migration } from './migrate.ts'

/** The first is the schema of 0.3.0, which is never changed again. */
export const metaMigrations: readonly Migration[] = [
  {
    name: '0001-baseline',
    up: (db) => [
      ...[...instanceTables, ...keyValueTable(db), ...peopleTables].map(statement),
      ...[...accessTables, ...operationsTables].map(statement),
      ...counts(db),
    ],
  },
  { name: '0002-token-exchange', up: tokenExchange },
  { name: '0003-approval-asker', up: approvalAsker },
  { name: '0004-user-search', up: userSearch },
  { name: '0005-letters-as-data', up: lettersAsData },
  { name: '0006-registered-from', up: registeredFrom },
  { name: '0007-sealed-approvals', up: sealedApprovals },
  { name: '0008-known-networks', up: knownNetworks },
  { name: '0009-refused-acts', up: refusedActs },
  { name: '0010-application-refusals', up: applicationRefusals },
  { name: '0011-user-handle', up: userHandle },
  { name: '0012-noted-use', up: notedUse },
  { name: '0013-keys-of-settings', up: keysOfSettings },
  { name: '0014-organizations', up: organizations },
  { name: '0015-user-data', up: userData },
  { name: '0016-breached-passwords', up: breachedPasswords },
  { name: '0017-words-of-notifications', up: wordsOfNotifications },
  { name: '0018-announcements-to-come', up: announcementsToCome },
  { name: '0019-saved-replies', up: savedReplies },
  { name: '0020-staff', up: staff },
  { name: '0021-application-brand', up: applicationBrand },
  { name: '0022-hooks', up: hooks },
  { name: '0023-organization-data', up: organizationData },
  { name: '0024-swept-events', up: sweptEvents },
  { name: '0025-impersonations', up: impersonations },
  { name: '0026-email-changes', up: emailChanges },
  { name: '0027-organization-search', up: organizationSearch },
]
