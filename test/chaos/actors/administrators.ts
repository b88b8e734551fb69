import * as acting from '../acts/acting.ts'
import type { AdministratorsCall } from '../acts/administrator.ts'
import * as acts from '../acts/administrator.ts'
import { type AdministratorsAct, administratorsActs } from '../plan.ts'
import { Browser } from './browser.ts'
import type { Stage } from './people.ts'

const ACTS: Readonly<Record<AdministratorsAct, (call: AdministratorsCall) => Promise<void>>> = {
  publish: acts.publish,
  edit: acts.edit,
  archive: acts.archive,
  'save settings': acts.saveSettings,
  'read settings': acts.readSettings,
  'make codes': acts.makeCodes,
  'list codes': acts.listCodes,
  'list feedback': acts.listFeedback,
  'list audit entries': acts.listAuditEntries,
  'list notifications': acts.listPublished,
  'sign a user out': acts.signUserOut,
  'revoke a grant': acts.revokeUsersGrant,
  'delete a user': acts.deleteUser,
  'find a user': acts.findUser,
  'act as a user': acting.actAsUser,
  'use what acts': acting.useActing,
  'stop acting': acting.stopActing,
}

/** One browser of the administrator; the session was opened before anything went wrong. */
export async function administrate(stage: Stage, lane: string, token: string, isEditor: boolean) {
  const { world, history, shared, seed, gate, isOver } = stage
  const browser = new Browser(history, lane)
  const drafts = { made: 0, versions: new Map<string, number>(), settingsVersion: 1 }
  const acted = { begun: 0, going: [], ended: [] }
  for (const { act, dice } of administratorsActs(seed, lane)) {
    await gate.pass()
    if (isOver()) return
    await ACTS[act]({ world, history, browser, dice, shared, isEditor, token, drafts, acted })
  }
}
