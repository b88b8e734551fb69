import type { Context } from 'hono'
import { clientOf } from '../../http/client-of.ts'
import { Refusal } from '../../http/refusal.ts'
import type { Platform } from '../../platform/platform.ts'
import { handOut, newSession } from '../sessions/sessions.ts'
import { currentSettings } from '../settings/settings.ts'
import { createUser, refuseClosedRegistration } from './creation.ts'
import * as store from './store.ts'
import { wireUser } from './wire.ts'

interface SignUp {
  readonly email: string
  readonly password: string
  readonly name: string
}

export async function signUp(platform: Platform, context: Context, { email, password, name }: SignUp) {
  const settings = await currentSettings(platform)
  refuseClosedRegistration(settings)
  const passwordHash = await platform.passwords.hash(password)
  const session: { made?: ReturnType<typeof newSession> } = {}
  const user = await createUser(
    platform,
    settings,
    {
      email,
      name,
      emailVerified: false,
      image: null,
      role: 'user',
      provider: 'credential',
      providerAccountId: undefined,
      passwordHash,
      passwordIsInitial: false,
      registrationUtmSource: null,
      continent: clientOf(context).continent,
    },
    () => [],
  )
  if (!user) throw new Refusal('USER_ALREADY_EXISTS', 'There is already an account with this address.')
  session.made = newSession(platform, context, user.id)
  await platform.meta.batch([session.made.statement])
  handOut(platform, context, session.made)
  return { token: session.made.token, user: wireUser(user) }
}

export async function signIn(platform: Platform, context: Context, email: string, password: string) {
  const user = await store.credentialByEmail(platform.meta, email)
  const isRight = await platform.passwords.verify(password, user?.password_hash ?? undefined)
  if (!user || !isRight)
    throw new Refusal('INVALID_EMAIL_OR_PASSWORD', 'The address or the password is wrong.')
  const session = newSession(platform, context, user.id)
  await platform.meta.batch([session.statement])
  handOut(platform, context, session)
  return { redirect: false as const, token: session.token, user: wireUser(user) }
}
