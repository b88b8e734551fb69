import type { ProtectedCall, SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import {
  changedData,
  type DataPatch,
  dataOf,
  firstRow,
  type How,
  isChanged,
  ownDataOf,
} from '../../../rules/product-data.ts'
import { type Act, decideAboutUser } from '../../ground/acts/acts.ts'
import { getUser } from '../users/users.ts'
import type { ChangeData } from './input.ts'
import { saveUserData, userDataOf } from './statements.ts'

export async function getOwnData({ platform, caller }: ProtectedCall) {
  return ownDataOf(await userDataOf(platform.meta, caller.user.id).executeTakeFirst())
}

export async function updateOwnData(call: SignedInCall, patch: Pick<DataPatch, 'own'>) {
  const { id } = call.caller.user
  const { meta } = call.platform
  return decideAboutUser(call, id, [userDataOf(meta, id)], async (act, _, [stored]) => {
    const { row, names } = changedData(stored, patch)
    if (!isChanged(names)) return ownDataOf(stored)
    act.write(saveUserData(meta, id, row))
    act.record('user.data_updated', { user: { id }, subject: { type: 'user', id }, data: names })
    return ownDataOf(row)
  })
}

export async function getUserData({ meta }: Platform, id: string) {
  await getUser(meta, id)
  return dataOf(await userDataOf(meta.primary, id).executeTakeFirst())
}

export async function updateUserData(call: SignedInCall, { id, ...change }: ChangeData) {
  const { meta } = call.platform
  return decideAboutUser(call, id, [userDataOf(meta, id)], async (act, _, [stored]) => {
    const { row, names } = changedData(stored, change)
    if (!isChanged(names)) return dataOf(stored)
    act.write(saveUserData(meta, id, row))
    const details = { changed: Object.keys(names) }
    act.record('user.update_data', { user: { id }, subject: { type: 'user', id }, details, data: names })
    return dataOf(row)
  })
}

/** Saves what a user brings, in the decision that makes the user. */
export function firstData(act: Act, { meta }: Platform, id: string, patches: readonly DataPatch[], how: How): void {
  const { row, names } = firstRow(patches, how)
  if (!isChanged(names)) return
  act.write(saveUserData(meta, id, row))
  act.record('user.data_updated', { user: { id }, subject: { type: 'user', id }, data: names })
}
