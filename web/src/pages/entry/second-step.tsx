import { useState } from 'react'
import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { Front } from '../../layout/front.tsx'
import { useReturn } from '../../routing/return-path.ts'
import { Navigate, useSearchParams } from '../../routing/router.tsx'
import { useAct } from '../../server/act.ts'
import { ApiError, call } from '../../server/api.ts'
import { isCancelled, signInWithPasskey } from '../../server/passkeys/passkeys.ts'
import { useEnter, useSession } from '../../server/session.ts'
import { useSignOut } from '../../server/sign-out.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { CodeInput } from '../../ui/controls/code-input.tsx'
import { Switch } from '../../ui/controls/switch.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { Form } from '../../ui/form.tsx'
import { Failure } from '../../ui/messages/failure.tsx'

/**
 * Follows a correct first step: a code of the app, a backup code, or a passkey. The address says if there is only one.
 */
export function SecondStep() {
  const { secondStep } = useTexts()
  const { data: signedIn } = useSession()
  const [isBackup, setBackup] = useState(false)
  const back = useReturn()
  const only = useSearchParams()[0].get('method')
  const way = isBackup ? 'backup' : only === 'passkey' ? 'passkey' : 'app'
  const leads = { app: secondStep.lead, backup: secondStep.leadBackup, passkey: secondStep.leadPasskey }
  if (signedIn) return <Navigate to={back.path} replace />
  return (
    <Front title={secondStep.title} lead={leads[way]}>
      {way !== 'passkey' && <CodeForm key={way} isBackup={isBackup} />}
      <div className={`flex flex-col gap-3 ${way === 'passkey' ? '' : 'mt-5'}`}>
        {only !== 'totp' && <PasskeyStep look={way === 'passkey' ? 'primary' : 'quiet'} />}
        <div className="flex flex-wrap gap-2">
          <OtherCode way={way} hasApp={only !== 'passkey'} onChoose={setBackup} />
          <StartOver />
        </div>
      </div>
    </Front>
  )
}

interface OtherCodeProps {
  readonly way: 'app' | 'backup' | 'passkey'
  readonly hasApp: boolean
  onChoose(isBackup: boolean): void
}

function OtherCode({ way, hasApp, onChoose }: OtherCodeProps) {
  const { secondStep } = useTexts()
  const isBackup = way === 'backup'
  if (isBackup && !hasApp) return null
  return (
    <Button look="quiet" onPress={() => onChoose(!isBackup)}>
      {isBackup ? secondStep.useApp : secondStep.useBackup}
    </Button>
  )
}

function StartOver() {
  const { secondStep } = useTexts()
  const startOver = useSignOut('/sign-in')
  return (
    <Button look="quiet" isPending={startOver.isPending} onPress={() => startOver.mutate()}>
      {secondStep.startOver}
    </Button>
  )
}

function CodeForm({ isBackup }: { readonly isBackup: boolean }) {
  const texts = useTexts()
  const { secondStep, signIn } = texts
  const form = useForm({
    schema: z.object({
      code: isBackup ? z.string().check(z.minLength(1, texts.form.required)) : fieldsOf(texts).sixDigits,
      trustDevice: z.boolean(),
    }),
    initial: { code: '', trustDevice: false },
    refusals: { INVALID_CODE: ['code'], INVALID_BACKUP_CODE: ['code'] },
    act: (sent) =>
      call(isBackup ? '/api/auth/two-factor/verify-backup-code' : '/api/auth/two-factor/verify-totp', sent),
    onDone: useEntered(),
  })
  return (
    <Form form={form} submit={signIn.submit} words={isUsedUp(form.failure) ? { RATE_LIMITED: secondStep.usedUp } : {}}>
      <Switch {...form.field('trustDevice')} label={secondStep.trust} />
      {isBackup ? (
        <TextField {...form.field('code')} label={secondStep.backupCode} autoComplete="off" autoFocus />
      ) : (
        <CodeInput {...form.field('code')} label={secondStep.code} onComplete={() => form.send()} />
      )}
    </Form>
  )
}

/**
 * A wait after the user's own wrong codes takes a quarter of an hour at most; this one lasts for the rest of the day.
 */
function isUsedUp(failure: Error | null): boolean {
  return failure instanceof ApiError && (failure.retryAfterSeconds ?? 0) > 15 * 60
}

function PasskeyStep({ look }: { readonly look: 'primary' | 'quiet' }) {
  const { secondStep } = useTexts()
  const entered = useEntered()
  const submit = useAct({ act: () => signInWithPasskey(), onDone: entered })
  return (
    <>
      <Button look={look} isPending={submit.isPending} onPress={() => submit.mutate()}>
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
