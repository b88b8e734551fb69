import { get, post } from './api.ts'

export interface User {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly image: string | null
  readonly role: 'user' | 'administrator'
}

export interface ListedSession {
  readonly id: string
  readonly token: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly expiresAt: string
  readonly ipAddress: string | null
  readonly userAgent: string | null
  /** In words, where the server tells. */
  readonly device?: string | null
  readonly place?: string | null
  readonly lastUsedAt?: string
}

export interface Account {
  readonly id: string
  readonly providerId: string
  readonly accountId: string
  readonly passwordIsInitial: boolean
  readonly createdAt: string
}

export interface SignedIn {
  readonly session: ListedSession
  readonly user: User
}

const withChallenge = (challenge: string | undefined): HeadersInit =>
  challenge === undefined ? {} : { 'x-captcha-response': challenge }

interface Credentials {
  readonly email: string
  readonly password: string
}

export const getSession = () => get<SignedIn | null>('/api/auth/get-session')

export const signIn = (credentials: Credentials, challenge?: string) =>
  post<{ token: string }>('/api/auth/sign-in/email', credentials, withChallenge(challenge))

export const signUp = (credentials: Credentials, challenge?: string) =>
  post<{ token: string | null }>(
    '/api/auth/sign-up/email',
    { ...credentials, name: credentials.email },
    withChallenge(challenge),
  )

export const signOut = () => post('/api/auth/sign-out')

export const sendVerificationCode = (email: string) =>
  post('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' })

export const verifyEmail = (email: string, otp: string) =>
  post('/api/auth/email-otp/verify-email', { email, otp })

export const requestPasswordReset = (email: string, challenge?: string) =>
  post('/api/auth/email-otp/request-password-reset', { email }, withChallenge(challenge))

export const resetPassword = (input: Credentials & { readonly otp: string }) =>
  post('/api/auth/email-otp/reset-password', input)

export const changePassword = (input: {
  readonly currentPassword: string
  readonly newPassword: string
  readonly revokeOtherSessions: boolean
}) => post('/api/auth/change-password', input)

export const updateUser = (input: { readonly name?: string; readonly image?: string | null }) =>
  post('/api/auth/update-user', input)

export const listSessions = () => get<ListedSession[]>('/api/auth/list-sessions')
export const revokeSession = (token: string) => post('/api/auth/revoke-session', { token })
export const revokeOtherSessions = () => post('/api/auth/revoke-other-sessions')

export const listAccounts = () => get<Account[]>('/api/auth/list-accounts')
export const unlinkAccount = (providerId: string) => post('/api/auth/unlink-account', { providerId })
export const deleteUser = (password: string | undefined) =>
  post('/api/auth/delete-user', password === undefined ? {} : { password })

interface Return {
  readonly callbackURL: string
  readonly errorCallbackURL: string
}

/** Where to send the browser so that the provider can vouch for it. */
export const startProviderSignIn = (providerId: string, back: Return) =>
  providerId === 'community'
    ? post<{ url: string }>('/api/auth/sign-in/oauth2', { providerId, ...back })
    : post<{ url: string }>('/api/auth/sign-in/social', { provider: providerId, ...back })

export const startLinking = (providerId: string, back: Return) =>
  post<{ url: string }>('/api/auth/link-social', { provider: providerId, ...back })
