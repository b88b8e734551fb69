import { randomBytes } from 'node:crypto'
import { OPERATOR } from '../../../../platform/passwords/passwords.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { endAccess } from '../../../access/ending/ending.ts'
import { noticeToOwnerFromHost } from '../../../delivery/mail/notices.ts'
import { type Act, auditEntry, HOST } from '../../../ground/audit/audit.ts'
import { findAdministrator } from '../../users/statements.ts'
import { decideAboutUser } from '../../users/users.ts'
import * as passwordStore from './store.ts'

/** Too long to guess, short enough to type once. */
export function randomPassword(): string {
  return randomBytes(18).toString('base64url')
}

/** For the operator on the host: a new password; every session opened with the old one ends. */
export async function resetAdministratorPassword(platform: Platform) {
  const administrator = await findAdministrator(platform.meta)
  if (!administrator) throw new Error('there is no administrator yet')
  const password = randomPassword()
  const hash = await platform.passwords.hash(password, OPERATOR)

  const { meta, now } = platform
  const { id, email } = administrator
  const act: Act = {
    action: 'administrator.reset_password',
    subject: { type: 'user', id },
    details: { from: 'host' },
  }
  const letter = noticeToOwnerFromHost(platform, administrator, 'password reset on the host')
  await decideAboutUser(meta, id, [], async (decision) => {
    decision.write(
      passwordStore.setPassword(meta, id, hash, now(), 'printed'),
      ...endAccess(platform, 'administrator reset on the host', id),
      auditEntry(platform, HOST, act),
      ...letter,
    )
  })
  return { email, password }
}
