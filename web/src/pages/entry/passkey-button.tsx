import { useEffect } from 'react'
import { useAct } from '../../server/act.ts'
import { isCancelled, offersPasskeys, signInWithPasskey } from '../../server/passkeys/passkeys.ts'
import { useEnter } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Failure } from '../../ui/messages/failure.tsx'

/** Signs in with a click, or by the browser's own offer in the address field. */
export function PasskeyButton() {
  const { secondStep } = useTexts()
  const enter = useEnter()
  const submit = useAct({ act: () => signInWithPasskey(), onDone: enter })
  useOffer(enter)
  return (
    <>
      <Button isPending={submit.isPending} onPress={() => submit.mutate()}>
        <Icon name="key" /> {secondStep.signIn}
      </Button>
      {!isCancelled(submit.error) && <Failure error={submit.error} />}
    </>
  )
}

function useOffer(enter: () => Promise<void>) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the offer is made once, when the page opens.
  useEffect(() => {
    const offer = async () => {
      if (!(await offersPasskeys())) return
      await signInWithPasskey(true)
      await enter()
    }
    // The user did not ask for it, so a failure is not shown here: the button shows what is wrong.
    offer().catch(() => undefined)
  }, [])
}
