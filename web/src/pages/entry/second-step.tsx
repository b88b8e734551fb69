import { useState } from 'react'
import * as z from 'zod/mini'
import { useForm } from '../../forms/form.ts'
import { Front } from '../../layout/front.tsx'
import { useReturn } from '../../routing/return-path.ts'
import { Navigate } from '../../routing/router.tsx'
import { useAct } from '../../server/act.ts'
import { call } from '../../server/api.ts'
import { isCancelled, signInWithPasskey } from '../../server/passkeys/passkeys.ts'
import { useEnter, useSession } from '../../server/session.ts'
import { useSignOut } from '../../server/sign-out.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { CodeInput } from '../../ui/controls/code-input.tsx'
import { Switch } from '../../ui/controls/switch.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { Failure } from '../../ui/messages/failure.tsx'

interface Sent {
  readonly code: string
  readonly trustDevice: boolean
}

/** After a correct first step: a code of the app, a backup code, or a passkey. */
export function SecondStep() {
  const { secondStep } = useTexts()
  const { data: signedIn } = useSession()
  const [isBackup, setBackup] = useState(false)
  const back = useReturn()
  const startOver = useSignOut('/sign-in')
  if (signedIn) return <Navigate to={back.path} replace />
  return (
    <Front title={secondStep.title} lead={secondStep.lead}>
      <CodeForm key={String(isBackup)} isBackup={isBackup} />
      <div className="mt-5 flex flex-col gap-3">
        <PasskeyStep />
        <div className="flex flex-wrap gap-2">
          <Button look="quiet" onPress={() => setBackup(!isBackup)}>
            {isBackup ? secondStep.useApp : secondStep.useBackup}
          </Button>
          <Button look="quiet" isPending={startOver.isPending} onPress={() => startOver.mutate()}>
            {secondStep.startOver}
          </Button>
        </div>
      </div>
    </Front>
  )
}

function CodeForm({ isBackup }: { readonly isBackup: boolean }) {
  const texts = useTexts()
  const { secondStep } = texts
  const entered = useEntered()
  const submit = useAct({
    act: (sent: Sent) =>
      call(isBackup ? '/api/auth/two-factor/verify-backup-code' : '/api/auth/two-factor/verify-totp', sent),
    onDone: entered,
  })
  const form = useForm({
    schema: z.object({
      code: z.string().check(z.minLength(6, texts.form.required)),
      trustDevice: z.boolean(),
    }),
    initial: { code: '', trustDevice: false },
    error: submit.error,
    refusals: { INVALID_CODE: ['code'], INVALID_BACKUP_CODE: ['code'] },
    onSend: (sent) => submit.mutate(sent),
  })
  return (
    <form {...form.props} className="flex flex-col gap-5">
      {isBackup ? (
        <TextField {...form.field('code')} label={secondStep.backupCode} autoComplete="off" autoFocus />
      ) : (
        <CodeInput {...form.field('code')} label={secondStep.code} />
      )}
      <Switch
        label={secondStep.trust}
        isSelected={form.values.trustDevice}
        onChange={(trustDevice) => form.set({ trustDevice })}
      />
      <Failure error={form.failure} />
      <Button type="submit" look="primary" isPending={submit.isPending}>
        {secondStep.submit}
      </Button>
    </form>
  )
}

function PasskeyStep() {
  const { secondStep } = useTexts()
  const entered = useEntered()
  const submit = useAct({ act: () => signInWithPasskey(), onDone: entered })
  return (
    <>
      <Button isPending={submit.isPending} onPress={() => submit.mutate()}>
        {secondStep.usePasskey}
      </Button>
      {!isCancelled(submit.error) && <Failure error={submit.error} />}
    </>
  )
}

/** A sign-in that began at a provider goes on to its return path. */
function useEntered() {
  const enter = useEnter()
  return async ({ url }: { readonly url?: string | undefined }) => {
    if (url === undefined || url === '/') return enter()
    location.assign(url)
  }
}
