import { call, get } from '../api.ts'
import { type NewAccount, withChallenge } from '../auth.ts'
import { isAdding } from '../session.ts'
import { webauthn } from './webauthn.ts'

async function made(options: object) {
  const { create } = await webauthn()
  return { ...(await create(options)), clientExtensionResults: {} }
}

async function shown(options: object, inField = false) {
  const { show } = await webauthn()
  return { ...(await show(options, inField)), clientExtensionResults: {} }
}

export async function addPasskey(name: string | undefined) {
  const response = await made(await get('/api/auth/passkey/generate-register-options'))
  return call('/api/auth/passkey/verify-registration', { response, ...(name && { name }) })
}

/** Signs in, or completes the second step. */
export async function signInWithPasskey(inField = false) {
  const options = await get('/api/auth/passkey/generate-authenticate-options', isAdding() ? '?account=another' : '')
  const response = await shown(options, inField)
  return call('/api/auth/passkey/verify-authentication', { response })
}

export async function signUpWithPasskey(
  { email, name }: Pick<NewAccount, 'email' | 'name'>,
  challenge: string | undefined,
) {
  const sent = { email, ...(name && { name }) }
  const options = await call('/api/auth/passkey/generate-sign-up-options', sent, withChallenge(challenge))
  return call('/api/auth/passkey/verify-sign-up', { response: await made(options) })
}

/** Proves that it is still the user who signed in. */
export async function confirmWithPasskey() {
  const passkey = await shown(await get('/api/auth/passkey/generate-authenticate-options'))
  return call('/api/auth/confirm', { passkey })
}

interface Invited {
  readonly email: string
  readonly link: string
  /** Of a new account. */
  readonly name?: string
}

export async function acceptWithPasskey({ name, ...invitation }: Invited) {
  const options = await call('/api/auth/passkey/generate-invitation-options', { ...invitation, ...(name && { name }) })
  return call('/api/auth/passkey/accept-invitation', { ...invitation, response: await made(options) })
}

/** False in browsers that have no passkeys at all, which are not offered any. */
export const hasPasskeys = 'PublicKeyCredential' in window

/** True while the browser can offer passkeys in the field for the address. */
export async function offersPasskeys(): Promise<boolean> {
  const { offersInField } = await webauthn()
  return offersInField()
}

/** The user closed the browser's dialog, or another request replaced it: nothing went wrong. */
export function isCancelled(error: unknown): boolean {
  return error instanceof Error && /NotAllowedError|AbortError|InvalidStateError|WebAuthnError/.test(error.name)
}
