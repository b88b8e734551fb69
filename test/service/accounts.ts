import { inNewBrowser } from './new-browser.ts'
import type { Answer, Person } from './people.ts'
import type { Service } from './service.ts'

export const LIST = '/api/auth/multi-session/list-device-sessions'
export const SET_ACTIVE = '/api/auth/multi-session/set-active'
export const REVOKE = '/api/auth/multi-session/revoke'

interface Account {
  readonly session: { readonly id: string; readonly token: string; readonly userId: string }
  readonly user: { readonly id: string; readonly email: string }
}

/** A new browser in which these users have signed in, one after another; the last one is active. */
export async function browserOf(service: Service, ...users: readonly Person[]): Promise<Person> {
  const [first] = users
  if (!first) throw new Error('a browser of nobody')
  const browser = inNewBrowser(service, first)
  for (const user of users) await signInAs(browser, user)
  return browser
}

export function signInAs(browser: Person, { email, password }: Person, more: object = {}) {
  return browser.post('/api/auth/sign-in/email', { email, password, ...more })
}

export async function accountsIn(browser: Person): Promise<readonly Account[]> {
  return (await browser.get<readonly Account[]>(LIST)).body
}

/** The addresses, the active one first. */
export async function addressesIn(browser: Person): Promise<readonly string[]> {
  return (await accountsIn(browser)).map(({ user }) => user.email)
}

/** The reference of a user's session in this browser. */
export async function referenceOf(browser: Person, { email }: Person): Promise<string> {
  const account = (await accountsIn(browser)).find(({ user }) => user.email === email)
  if (!account) throw new Error(`${email} is not signed in in this browser`)
  return account.session.token
}

export async function switchTo(browser: Person, user: Person): Promise<Answer<Account>> {
  return browser.post<Account>(SET_ACTIVE, { sessionToken: await referenceOf(browser, user) })
}
