import { randomBytes } from 'node:crypto'
import { OPERATOR } from '../../../platform/passwords/passwords.ts'
import type { Platform } from '../../../platform/platform.ts'
import { endAccess } from '../../access/ending/ending.ts'
import { decideAboutUser } from '../../ground/acts/acts.ts'
import { findAdministrator } from '../users/statements.ts'
import * as store from './store.ts'

/** Too long to guess, short enough to type once. */
export function randomPassword(): string {
  return randomBytes(18).toString('base64url')
}

/** Run by the operator on the host: sets a new password and ends every session opened with the old one. */
export async function resetAdministratorPassword(platform: Platform) {
  const administrator = await findAdministrator(platform.meta)
  if (!administrator) throw new Error('there is no administrator yet')
  const password = randomPassword()
  const hash = await platform.passwords.hash(password, OPERATOR)

  const { meta, now } = platform
  const { id, email } = administrator
  await decideAboutUser({ platform }, id, [], async (act, user) => {
    act.write(
      store.setPassword(meta, id, hash, now(), 'printed'),
      ...endAccess(platform, 'administrator reset on the host', id),
    )
    act.record('administrator.reset_password', {
      user,
      subject: { type: 'user', id },
      details: { from: 'host' },
    })
  })
  return { email, password }
}
