import { call, get, type Input, type Output } from './api.ts'

export type SignedIn = NonNullable<Output<'/api/auth/get-session'>>
export type ListedSession = Output<'/api/auth/list-sessions'>[number]
export type Account = Output<'/api/auth/list-accounts'>[number]
export type OfferedProvider = Output<'/api/client_config'>['providers'][number]
export type Provider = OfferedProvider['id']

interface Credentials {
  readonly email: string
  readonly password: string
}

export const withChallenge = (response: string | undefined): HeadersInit =>
  response === undefined ? {} : { 'x-captcha-response': response }

export const getSession = () => get('/api/auth/get-session')

export const signIn = (credentials: Credentials, challenge?: string) =>
  call('/api/auth/sign-in/email', credentials, withChallenge(challenge))

export const signUp = (credentials: Credentials, challenge?: string) =>
  call('/api/auth/sign-up/email', { ...credentials, name: credentials.email }, withChallenge(challenge))

export const signOut = () => call('/api/auth/sign-out', {})

export const sendVerificationCode = (email: string) =>
  call('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' })

export const verifyEmail = (email: string, otp: string) =>
  call('/api/auth/email-otp/verify-email', { email, otp })

export const requestPasswordReset = (email: string, challenge?: string) =>
  call('/api/auth/email-otp/request-password-reset', { email }, withChallenge(challenge))

export const resetPassword = (input: Credentials & { readonly otp: string }) =>
  call('/api/auth/email-otp/reset-password', input)

export const changePassword = (input: Input<'/api/auth/change-password'>) =>
  call('/api/auth/change-password', input)

export const updateUser = (input: Input<'/api/auth/update-user'>) => call('/api/auth/update-user', input)

export const listSessions = () => get('/api/auth/list-sessions')
export const revokeSession = (token: string) => call('/api/auth/revoke-session', { token })
export const revokeOtherSessions = () => call('/api/auth/revoke-other-sessions', {})

export const listAccounts = () => get('/api/auth/list-accounts')
export const unlinkAccount = (providerId: Provider) => call('/api/auth/unlink-account', { providerId })
export const deleteUser = (password: string | undefined) =>
  call('/api/auth/delete-user', password === undefined ? {} : { password })

interface Return {
  readonly callbackURL: string
  readonly errorCallbackURL: string
}

/** The provider's address to send the browser to. */
export const startProviderSignIn = (id: Provider, back: Return) =>
  id === 'community'
    ? call('/api/auth/sign-in/oauth2', { providerId: id, ...back })
    : call('/api/auth/sign-in/social', { provider: id, ...back })

export const startLinking = (provider: Provider, back: Return) =>
  call('/api/auth/link-social', { provider, ...back })
