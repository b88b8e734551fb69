import { useEffect, useRef } from 'react'
import { useCountdown } from '../../forms/countdown.ts'
import { useSearchParams } from '../../routing/router.tsx'
import { useAct } from '../../server/act.ts'
import { ApiError, call } from '../../server/api.ts'
import { useClientConfig } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { say } from '../../toasts.ts'

/** Asks for a code on arrival if the address says so, and again once the pause is over. */
export function useResend(email: string) {
  const { verify } = useTexts()
  const { cooldown_seconds } = useClientConfig()
  const [search, setSearch] = useSearchParams()
  const { left, start } = useCountdown()
  const hasAsked = useRef(false)
  const sending = useAct({
    act: () => call('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' }),
    onDone: () => start(cooldown_seconds),
    onFailed: (error) => {
      if (error instanceof ApiError && error.retryAfterSeconds) start(error.retryAfterSeconds)
    },
  })
  const shouldSend = search.get('send') === 'now'

  useEffect(() => {
    if (!shouldSend || hasAsked.current) return
    hasAsked.current = true
    sending.mutate()
    setSearch(
      (before) => {
        before.delete('send')
        return before
      },
      { replace: true },
    )
  }, [shouldSend, sending, setSearch])

  const send = () => sending.mutate(undefined, { onSuccess: () => say(verify.resent) })
  // A code was sent a moment ago, and the button counts down: that is not a failure.
  const isRecent = sending.error instanceof ApiError && sending.error.code === 'EMAIL_ACTION_RATE_LIMITED'
  return {
    left,
    send,
    isPending: sending.isPending,
    isSent: sending.isSuccess || isRecent,
    error: isRecent ? null : sending.error,
  }
}
