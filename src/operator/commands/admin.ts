import { switchOffChallenge } from '../../features/ground/settings/saving/from-host.ts'
import { rotateSigningKeys } from '../../features/ground/signing/rotation.ts'
import { setAdministratorsAddress } from '../../features/people/account/administrators-address.ts'
import { resetAdministratorPassword } from '../../features/people/account/password.ts'
import { removeFormerPasskeys } from '../../features/people/second-factor/passkeys/former.ts'
import { removeFactorsFromHost } from '../../features/people/second-factor/removing.ts'
import { Email, isSynthetic } from '../../rules/email.ts'
import type { Prepared } from '../../serve.ts'
import { printCredentials } from './prepare.ts'
import { readArguments, UsageError } from './program/arguments.ts'
import { print } from './program/output.ts'
import { openInstallation } from './with-platform.ts'

interface Arguments {
  readonly email: string | undefined
  readonly isNow: boolean
}

const ACTIONS: Readonly<Record<string, (prepared: Prepared, given: Arguments) => Promise<void>>> = {
  'reset-password': async ({ platform, credentials }) =>
    printCredentials(credentials ?? (await resetAdministratorPassword(platform))),

  'reset-factors': async ({ platform }, { email }) => {
    const removed = await removeFactorsFromHost(platform, email)
    print(`Second factors removed: ${removed.email}`)
  },

  'set-address': async ({ platform }, { email = '' }) => {
    const address = Email.safeParse(email)
    if (!address.success || isSynthetic(address.data)) throw new UsageError(`"${email}" is not an email address`)
    const former = await setAdministratorsAddress(platform, address.data)
    print(former === address.data ? `The address is ${former} already.` : `Administrator: ${address.data}`)
  },

  'switch-off-challenge': async ({ platform }) => {
    const isDone = await switchOffChallenge(platform)
    print(isDone ? 'The challenge is off: people can sign in without it.' : 'The challenge was off already.')
  },

  'remove-former-passkeys': async ({ platform }) => {
    const users = await removeFormerPasskeys(platform)
    print(`Passkeys of another domain were removed from ${users} users`)
  },

  'rotate-signing-keys': async ({ platform }, { isNow }) => {
    await rotateSigningKeys(platform, isNow ? 'now' : 'in a day')
    print(
      isNow
        ? 'New signing keys sign from now on. The former ones are withdrawn, and their tokens are refused.'
        : 'New signing keys are published, and sign tokens within a day.',
    )
  },
}

export async function runAdmin(argv: readonly string[]): Promise<number> {
  const withAddress = argv[0] === 'set-address' || (argv[0] === 'reset-factors' && argv.length > 1)
  const {
    words: [action = '', email],
    flags,
  } = readArguments(
    argv,
    withAddress ? ['ACTION', 'EMAIL'] : ['ACTION'],
    argv[0] === 'rotate-signing-keys' ? { now: { type: 'boolean' } } : {},
  )
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (!act) {
    throw new UsageError(`unknown action "${action}"; the actions are ${Object.keys(ACTIONS).join(', ')}`)
  }

  const prepared = await openInstallation()
  try {
    await act(prepared, { email, isNow: flags.now === true })
  } finally {
    await prepared.platform.close()
  }
  return 0
}
