import { type ReactNode, useState } from 'react'
import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { Front } from '../../layout/front.tsx'
import { useReturn } from '../../routing/return-path.ts'
import { Navigate, useSearchParams } from '../../routing/router.tsx'
import { useAct } from '../../server/act.ts'
import { ApiError, call } from '../../server/api.ts'
import { hasPasskeys, isCancelled, signInWithPasskey } from '../../server/passkeys/passkeys.ts'
import { isAdding, useClientConfig, useEnter, useSession } from '../../server/session.ts'
import { useSignOut } from '../../server/sign-out.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { CodeInput } from '../../ui/controls/code-input.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { textLinkClass } from '../../ui/controls/text-link.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
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
  if (signedIn && !isAdding()) return <Navigate to={back.landing(signedIn.user)} replace />
  return (
    <Front title={secondStep.title} lead={leads[way]}>
      {way !== 'passkey' && <CodeForm key={way} isBackup={isBackup} />}
      {way === 'passkey' && <PasskeyStep look="primary" />}
      <OtherWays>
        {way !== 'passkey' && only !== 'totp' && hasPasskeys && <PasskeyStep look="plain" />}
        <OtherCode way={way} hasApp={only !== 'passkey'} onChoose={setBackup} />
        <StartOver />
      </OtherWays>
      <LostAccess />
    </Front>
  )
}

function OtherWays({ children }: { readonly children: ReactNode }) {
  const { secondStep } = useTexts()
  return (
    <section
      aria-label={secondStep.otherWays}
      className="-mx-3 -mb-2 flex flex-col items-stretch border-line border-t pt-3"
    >
      {children}
    </section>
  )
}

/** A letter to support, begun for a user who has lost every factor. */
function LostAccess() {
  const { secondStep } = useTexts()
  const { app_name, support_email } = useClientConfig()
  const letter = { subject: secondStep.lostSubject(app_name), body: secondStep.lostBody }
  const query = Object.entries(letter).map(([name, text]) => `${name}=${encodeURIComponent(text)}`)
  return (
    <p className="text-ink-soft text-small">
      {secondStep.lost}{' '}
      <a href={`mailto:${support_email}?${query.join('&')}`} className={textLinkClass}>
        {secondStep.writeToSupport}
      </a>
    </p>
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
    <Button look="plain" className={rowClass} onPress={() => onChoose(!isBackup)}>
      <Icon name={isBackup ? 'device' : 'layers'} /> {isBackup ? secondStep.useApp : secondStep.useBackup}
    </Button>
  )
}

const rowClass = 'justify-start px-3 text-left'

function StartOver() {
  const { secondStep } = useTexts()
  const startOver = useSignOut('/sign-in')
  return (
    <Button look="plain" className={rowClass} isPending={startOver.isPending} onPress={() => startOver.mutate()}>
      <Icon name="sign-out" /> {secondStep.startOver}
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
      {isBackup ? (
        <TextField {...form.field('code')} label={secondStep.backupCode} autoComplete="off" autoFocus />
      ) : (
        <CodeInput {...form.field('code')} label={secondStep.code} onComplete={() => form.send()} />
      )}
      <Trust {...form.field('trustDevice')} />
    </Form>
  )
}

function Trust({ value, onChange }: { readonly value: boolean; onChange(value: boolean): void }) {
  const { secondStep } = useTexts()
  return (
    <label className="touch flex min-h-8 cursor-pointer items-center gap-2.5 text-compact">
      <input
        type="checkbox"
        checked={value}
        onChange={({ target }) => onChange(target.checked)}
        className="size-5 shrink-0 accent-(--color-accent)"
      />
      {secondStep.trust}
    </label>
  )
}

/**
 * A wait after the user's own wrong codes takes a quarter of an hour at most; this one lasts for the rest of the day.
 */
function isUsedUp(failure: Error | null): boolean {
  return failure instanceof ApiError && (failure.retryAfterSeconds ?? 0) > 15 * 60
}

function PasskeyStep({ look }: { readonly look: 'primary' | 'plain' }) {
  const { secondStep } = useTexts()
  const entered = useEntered()
  const submit = useAct({ act: () => signInWithPasskey(), onDone: entered })
  return (
    <>
      <Button
        look={look}
        className={look === 'plain' ? rowClass : ''}
        isPending={submit.isPending}
        onPress={() => submit.mutate()}
      >
        <Icon name="key" /> {secondStep.usePasskey}
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
