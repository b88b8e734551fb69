import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import { call, get } from './api.ts'

/** Fetched when it is first needed. */
const webauthn = () => import('@simplewebauthn/browser')

/** The options come from our own server, in the form of the standard. */
async function made(options: object) {
  const { startRegistration } = await webauthn()
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON
  return { ...(await startRegistration({ optionsJSON })), clientExtensionResults: {} }
}

async function shown(options: object, useBrowserAutofill = false) {
  const { startAuthentication } = await webauthn()
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON
  const response = await startAuthentication({ optionsJSON, useBrowserAutofill })
  return { ...response, clientExtensionResults: {} }
}

export async function addPasskey(name: string | undefined) {
  const response = await made(await get('/api/auth/passkey/generate-register-options'))
  return call('/api/auth/passkey/verify-registration', { response, ...(name && { name }) })
}

/** To sign in, or as the second step. */
export async function signInWithPasskey(useBrowserAutofill = false) {
  const options = await get('/api/auth/passkey/generate-authenticate-options')
  const response = await shown(options, useBrowserAutofill)
  return call('/api/auth/passkey/verify-authentication', { response })
}

export async function confirmWithPasskey() {
  const passkey = await shown(await get('/api/auth/passkey/generate-authenticate-options'))
  return call('/api/auth/confirm', { passkey })
}

export async function signUpWithPasskey(email: string, challenge: string | undefined) {
  const headers = challenge === undefined ? {} : { 'x-captcha-response': challenge }
  const options = await call('/api/auth/passkey/generate-sign-up-options', { email }, headers)
  return call('/api/auth/passkey/verify-sign-up', { response: await made(options) })
}

export async function acceptWithPasskey(invitation: { readonly email: string; readonly link: string }) {
  const options = await call('/api/auth/passkey/generate-invitation-options', invitation)
  return call('/api/auth/passkey/accept-invitation', { ...invitation, response: await made(options) })
}

/** True while the browser can offer passkeys in the field for the address. */
export async function offersPasskeys(): Promise<boolean> {
  const { browserSupportsWebAuthnAutofill } = await webauthn()
  return browserSupportsWebAuthnAutofill()
}

/** The person closed the browser's dialog, or another request took its place: nothing went wrong. */
export function isCancelled(error: unknown): boolean {
  return error instanceof Error && /NotAllowedError|AbortError|WebAuthnError/.test(error.name)
}
