import { call, type Output } from './api.ts'

export type SignedIn = NonNullable<Output<'/api/auth/get-session'>>
export type ListedSession = Output<'/api/auth/list-sessions'>[number]
export type Account = Output<'/api/auth/list-accounts'>[number]
export type OfferedProvider = Output<'/api/client_config'>['providers'][number]
export type Provider = OfferedProvider['id']

export interface Credentials {
  readonly email: string
  readonly password: string
}

export const withChallenge = (response: string | undefined): HeadersInit =>
  response === undefined ? {} : { 'x-captcha-response': response }

export const signIn = (credentials: Credentials, challenge?: string) =>
  call('/api/auth/sign-in/email', credentials, withChallenge(challenge))

export interface NewAccount extends Credentials {
  /** Empty if the user gave none. */
  readonly name: string
}

export const signUp = ({ name, ...credentials }: NewAccount, challenge?: string) =>
  call('/api/auth/sign-up/email', { ...credentials, ...(name && { name }) }, withChallenge(challenge))

export const signOut = () => call('/api/auth/sign-out', {})

interface Return {
  readonly callbackURL: string
  readonly errorCallbackURL: string
}

/** The provider's address to send the browser to. */
export const startProviderSignIn = (id: Provider, back: Return) =>
  id === 'community'
    ? call('/api/auth/sign-in/oauth2', { providerId: id, ...back })
    : call('/api/auth/sign-in/social', { provider: id, ...back })
