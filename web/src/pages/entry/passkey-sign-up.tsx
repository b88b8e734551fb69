import { useReturn } from '../../routing/return-path.ts'
import { useNavigateNext } from '../../routing/router.tsx'
import { useAct } from '../../server/act.ts'
import { isCancelled, signUpWithPasskey } from '../../server/passkeys/passkeys.ts'
import { useEnter } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/controls/button.tsx'
import type { Challenge } from '../../ui/controls/challenge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Failure } from '../../ui/messages/failure.tsx'

interface Props {
  /** Undefined until a whole address is typed. */
  readonly email: string | undefined
  readonly name: string
  readonly challenge: Challenge
  onMissingEmail(): void
}

/** Signs up with a passkey instead of a password; the form above has the address. */
export function PasskeySignUp({ email, name, challenge, onMissingEmail }: Props) {
  const { secondStep } = useTexts()
  const enter = useEnter()
  const navigate = useNavigateNext()
  const back = useReturn()
  const submit = useAct({
    act: async (address: string) => signUpWithPasskey({ email: address, name }, challenge.response()),
    onDone: ({ token }, address) =>
      token === null ? navigate(back.via('/verify', { email: address, send: 'now' })) : enter(),
    onFailed: challenge.renew,
  })
  const start = () => {
    if (email === undefined) return onMissingEmail()
    submit.mutate(email)
  }
  return (
    <>
      {!isCancelled(submit.error) && <Failure error={submit.error} />}
      <Button isPending={submit.isPending} onPress={start}>
        <Icon name="key" /> {secondStep.signUp}
      </Button>
    </>
  )
}
