import { sealSetting } from '../../src/features/ground/settings/secrets.ts'
import { changeSettings } from '../service/change-settings.ts'
import type { Person } from '../service/people.ts'
import type { Service } from '../service/service.ts'

type Slot = 'provider_a' | 'provider_b' | 'community'

/** Stores what a save by the administrator would. */
export async function enableProvider(service: Service, slot: Slot): Promise<void> {
  const client_secret = sealSetting(service.platform, `${slot}_client_secret`, 'the-secret')
  await changeSettings(service, 'authentication', {
    [slot]: { enabled: true, client_id: 'the-client', client_secret },
  })
}

interface Addresses {
  readonly callbackURL?: string
  readonly errorCallbackURL?: string
}

/** Returns the address of the provider's page. */
export async function begin(person: Person, slot: Slot, addresses: Addresses = {}): Promise<URL> {
  const { status, body } =
    slot === 'community'
      ? await person.post('/api/auth/sign-in/oauth2', { providerId: slot, ...addresses })
      : await person.post('/api/auth/sign-in/social', { provider: slot, ...addresses })
  if (status !== 200) throw new Error(`the sign-in did not begin: ${status} ${body.code}`)
  return new URL(body.url)
}

export async function beginLink(person: Person, slot: Slot, addresses: Addresses = {}): Promise<URL> {
  const { status, body } = await person.post('/api/auth/link-social', { provider: slot, ...addresses })
  if (status !== 200) throw new Error(`the link did not begin: ${status} ${body.code}`)
  return new URL(body.url)
}

/** The user consents at the provider. Returns the callback address to which it then sends the browser. */
export async function consent(page: URL): Promise<string> {
  const response = await fetch(page, { redirect: 'manual' })
  const back = new URL(response.headers.get('location') ?? '')
  return back.pathname + back.search
}

/** Goes all the way; returns where the browser ends up. */
export async function signInVia(person: Person, slot: Slot, addresses: Addresses = {}): Promise<string | null> {
  return land(person, await consent(await begin(person, slot, addresses)))
}

export async function linkVia(person: Person, slot: Slot, addresses: Addresses = {}): Promise<string | null> {
  return land(person, await consent(await beginLink(person, slot, addresses)))
}

export async function land(person: Person, callback: string): Promise<string | null> {
  const { status, headers } = await person.get(callback)
  if (status !== 302) throw new Error(`the callback answered ${status}`)
  return headers.get('location')
}

/** The user who is signed in here; undefined if nobody is. */
export async function whoIs(person: Person) {
  const { body } = await person.get('/api/auth/get-session')
  return body?.user
}
