import { useFreshCredentials } from '../forms/fresh-credentials.tsx'
import { useReturn } from '../routing/return-path.ts'
import { useNavigateNext } from '../routing/router.tsx'
import type { ActOptions } from '../server/act.ts'
import { ApiError, call } from '../server/api.ts'
import { signIn } from '../server/auth.ts'
import { useClientConfig, useEnter, useSession } from '../server/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { say } from '../toasts.ts'

/** The typed code is useless after these. */
const refusals = ['INVALID_OTP', 'OTP_EXPIRED', 'TOO_MANY_ATTEMPTS']

type Outcome = 'signed in' | 'signed out' | 'without credential'

/** Confirms the address, and leads on. */
export function useConfirmation(email: string, clear: () => void): ActOptions<{ otp: string }, Outcome> {
  const { verify } = useTexts()
  const { data: signedIn } = useSession()
  const signInFreshly = useFreshSignIn(email)
  const enter = useEnter()
  const navigate = useNavigateNext()
  const back = useReturn()
  return {
    act: async ({ otp }) => {
      const { hasPassword, hasPasskey } = await call('/api/auth/email-otp/verify-email', { email, otp })
      if (signedIn) return 'signed in'
      if (!hasPassword) return hasPasskey ? 'signed out' : 'without credential'
      return (await signInFreshly()) ? 'signed in' : 'signed out'
    },
    onDone: async (state) => {
      if (state === 'without credential') {
        say(verify.choosePassword, { isForNextPage: true })
        return navigate(back.via('/forgot', { email }), { replace: true })
      }
      const isSignedIn = state === 'signed in'
      say(isSignedIn ? verify.confirmed : verify.done, { isForNextPage: true })
      if (isSignedIn) await enter()
      await navigate(isSignedIn ? back.path : back.via('/sign-in', { email }), { replace: true })
    },
    onFailed: (error) => {
      if (error instanceof ApiError && refusals.includes(error.code)) clear()
    },
  }
}

/** Signs in with the password of the sign-up just before; without one, or if it is refused, the page asks. */
function useFreshSignIn(email: string) {
  const { credentials, remember } = useFreshCredentials()
  const { challenge_site_key } = useClientConfig()
  return async () => {
    if (credentials?.email !== email || challenge_site_key !== null) return false
    remember(undefined)
    return signIn(credentials).then(
      () => true,
      () => false,
    )
  }
}
