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
]
