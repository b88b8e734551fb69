import { randomBytes } from 'node:crypto'
import { OPERATOR } from '../../../../platform/passwords/passwords.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { endAccess } from '../../../access/ending/ending.ts'
import { noticeToOwnerFromHostIf } from '../../../delivery/mail/notices/notices.ts'
import { auditEntry } from '../../../ground/audit/audit.ts'
import { lockUser, userOnly } from '../../users/statements.ts'
import { findAdministrator } from '../../users/users.ts'
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

  const users = userOnly(platform.meta, administrator.id)
  const change = passwordStore.setPrintedPassword(platform.meta, administrator.id, hash, platform.now())
  const rows = await platform.meta.batch([
    lockUser(platform.meta, administrator.id),
    change,
    ...endAccess(platform, 'administrator reset on the host', users).statements,
    auditEntry(
      platform,
      { id: null, address: null },
      {
        action: 'administrator.reset_password',
        subject: { type: 'user', id: administrator.id },
        details: { from: 'host' },
      },
    ),
    ...(await noticeToOwnerFromHostIf(platform, administrator, 'password reset on the host', users)),
  ])
  if (rows.of(change).length !== 1) throw new Error('the administrator has no password to reset')
  return { email: administrator.email, password }
}
