import { useState } from 'react'
import { Front } from '../../layout/front.tsx'
import { useReturn } from '../../routing/return-path.ts'
import { useLocation, useNavigateNext } from '../../routing/router.tsx'
import { call, type Output } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { say } from '../../toasts.ts'
import { ActButton } from '../../ui/controls/act-button.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'

/** Asks first: mail programs open links by themselves. */
export function Secure() {
  const { securing, forgot } = useTexts()
  const { hash } = useLocation()
  const back = useReturn()
  const navigate = useNavigateNext()
  const [isDone, setDone] = useState(false)
  const onDone = ({ email }: Output<'/api/auth/secure-account'>) => {
    setDone(true)
    if (email === null) return
    say(securing.done, { isForNextPage: true })
    navigate(back.via('/reset', { email }), { replace: true })
  }
  return (
    <Front
      title={isDone ? securing.doneTitle : securing.title}
      lead={isDone ? securing.done : securing.lead}
      below={<TextLink to="/sign-in">{forgot.back}</TextLink>}
    >
      {!isDone && (
        <div className="flex flex-col gap-4">
          <ActButton
            look="primary"
            label={securing.title}
            act={() => call('/api/auth/secure-account', { token: hash.slice(1) })}
            onDone={onDone}
          />
        </div>
      )}
    </Front>
  )
}
