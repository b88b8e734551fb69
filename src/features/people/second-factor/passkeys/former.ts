import type { Config } from '../../../../config/config.ts'
import type { PasskeyTable } from '../../../../database/schema/people/second-factor.ts'
import type { Meta } from '../../../../database/store.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { decide } from '../../../ground/acts/acts.ts'
import { recountFactors } from '../../account/statements.ts'
import { endSecondStepsOf } from '../../sessions/statements.ts'
import { lockedUser } from '../../users/statements.ts'
import * as store from './store.ts'
import { passkeyDomain } from './webauthn.ts'

/** Passkeys made under another host name, which no browser offers here. */
export async function findFormerPasskeys(config: Config, meta: Meta) {
  const domain = passkeyDomain(config)
  const rows = await store.countFormerPasskeys(meta, domain)
  return {
    domain,
    domains: rows.map(({ rp_id }) => rp_id),
    passkeys: rows.reduce((sum, { passkeys }) => sum + Number(passkeys), 0),
  }
}

const USERS_AT_ONCE = 100

/** The operator runs this on the host. Returns the number of users who had any. */
export async function removeFormerPasskeys(platform: Platform): Promise<number> {
  const domain = passkeyDomain(platform.config)
  let count = 0
  for (;;) {
    const owners = await store.ownersOfFormerPasskeys(platform.meta, domain, USERS_AT_ONCE)
    if (owners.length === 0) return count
    for (const { user_id } of owners) await removeOf(platform, user_id, domain)
    count += owners.length
  }
}

async function removeOf(platform: Platform, userId: string, domain: string): Promise<void> {
  const { meta } = platform
  await decide(
    { platform },
    [lockedUser(meta, userId), store.passkeysOf(meta, userId)],
    async (act, [user], passkeys) => {
      // The user was deleted meanwhile, with the passkeys.
      if (!user) return
      const isLastFactor = passkeys.every((one) => isFormer(one, domain)) && !user.factors.includes('totp')
      act.write(
        store.deleteFormerPasskeys(meta, userId, domain),
        ...recountFactors(meta, userId),
        ...(isLastFactor ? endSecondStepsOf(meta, userId) : []),
      )
      const details = { factor: 'passkey', from: 'host' }
      act.record('factor.remove', {
        user,
        subject: { type: 'user', id: userId },
        details,
        letter: 'passkey removed',
      })
    },
  )
}

function isFormer({ rp_id }: PasskeyTable, domain: string): boolean {
  return rp_id !== '' && rp_id !== domain
}
