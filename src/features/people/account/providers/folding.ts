import { type Job, restingFor } from '../../../../platform/background.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { DAY_SECONDS } from '../../../../rules/time.ts'
import { decide } from '../../../ground/acts/acts.ts'
import { lockedUser, updateUserRow, usersByEmails } from '../../users/statements.ts'
import { communityName, laterAddress, synthetic } from './address.ts'
import * as store from './store.ts'

const ACCOUNTS_AT_ONCE = 500

/**
 * Folds the addresses that 0.3.0 made from ids with capitals. A process of that release can run beside this one and
 * make more, so each run looks at all accounts of the community.
 */
export function addressesJob(platform: Platform): Job {
  const rest = restingFor(9)
  return {
    name: 'addresses',
    everySeconds: DAY_SECONDS,
    atStart: true,
    async run() {
      let last: store.ProviderAccount | undefined
      do {
        const accounts = await store.accountsAfter(platform.meta, 'community', last, ACCOUNTS_AT_ONCE)
        await foldAddressesOf(platform, accounts)
        last = accounts.length < ACCOUNTS_AT_ONCE ? undefined : accounts.at(-1)
        await rest()
      } while (last && !platform.ending.aborted)
    },
  }
}

async function foldAddressesOf(platform: Platform, accounts: readonly store.ProviderAccount[]): Promise<void> {
  const folded = new Map(accounts.filter(({ id }) => id !== id.toLowerCase()).flatMap(foldedOf))
  for (const { id, email } of await usersByEmails(platform.meta, [...folded.keys()]))
    await changeAddress(platform, id, email, folded.get(email) ?? email)
}

/** Each address that was made from the id, with the one that is made from it now. */
function foldedOf({ id, issuer }: store.ProviderAccount): readonly (readonly [string, string])[] {
  const former = synthetic(`community-${id}`)
  const folded = synthetic(communityName(id))
  return [
    [former.email, folded.email],
    [laterAddress(former, issuer).email, laterAddress(folded, issuer).email],
  ]
}

async function changeAddress(platform: Platform, userId: string, former: string, email: string): Promise<void> {
  const { meta, now } = platform
  await decide({ platform }, [lockedUser(meta, userId)], async (act, [user]) => {
    if (user?.email !== former) return
    // A user without a name has the address as name.
    const changes = { email, ...(user.name === former && { name: email }) }
    act.write(updateUserRow(meta, userId, { ...changes, updated_at: now() }))
    act.record('user.updated', { user, subject: { type: 'user', id: userId }, data: changes })
  })
}
