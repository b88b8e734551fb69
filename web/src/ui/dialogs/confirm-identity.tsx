import { useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { securityQuery } from '../../pages/settings/queries.ts'
import { useAct } from '../../server/act.ts'
import { call } from '../../server/api.ts'
import { confirmWithPasskey, hasPasskeys, isCancelled } from '../../server/passkeys/passkeys.ts'
import { useSignOut } from '../../server/sign-out.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../controls/button.tsx'
import { OwnPassword } from '../controls/own-password.tsx'
import { Form } from '../form.tsx'
import { Icon } from '../icon.tsx'
import { Loaded } from '../lists/loaded.tsx'
import { Failure } from '../messages/failure.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  onEnd(isConfirmed: boolean): void
}

export function ConfirmIdentity({ onEnd }: Props) {
  const { fresh } = useTexts()
  const overview = useQuery(securityQuery)
  return (
    <Dialog title={fresh.title} onClose={() => onEnd(false)}>
      <Loaded query={overview}>
        {({ hasPassword, passkeys }) => (
          <div className="flex flex-col gap-4">
            {hasPassword && <WithPassword onEnd={onEnd} />}
            {passkeys.length > 0 && (hasPasskeys || !hasPassword) && (
              <WithPasskey isAlone={!hasPassword} onEnd={onEnd} />
            )}
            {!hasPassword && passkeys.length === 0 && <BySigningIn />}
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}

function WithPasskey({ isAlone, onEnd }: Props & { readonly isAlone: boolean }) {
  const { fresh, secondStep } = useTexts()
  const confirm = useAct({ act: () => confirmWithPasskey(), onDone: () => onEnd(true) })
  return (
    <>
      {isAlone && <p className="text-ink-soft">{fresh.byPasskey}</p>}
      {!isCancelled(confirm.error) && <Failure error={confirm.error} />}
      <Button look={isAlone ? 'primary' : 'plain'} isPending={confirm.isPending} onPress={() => confirm.mutate()}>
        <Icon name="key" /> {secondStep.usePasskey}
      </Button>
    </>
  )
}

function WithPassword({ onEnd }: Props) {
  const texts = useTexts()
  const { fresh, common } = texts
  const form = useForm({
    schema: z.object({ password: fieldsOf(texts).password }),
    initial: { password: '' },
    refusals: { INVALID_EMAIL_OR_PASSWORD: ['password', texts.form.passwordWrong] },
    act: (sent) => call('/api/auth/confirm', sent),
    onDone: () => onEnd(true),
  })
  return (
    <Form form={form} className="gap-4" place="end" submit={common.continue} onCancel={() => onEnd(false)}>
      <p className="text-ink-soft">{fresh.text}</p>
      <OwnPassword {...form.field('password')} label={fresh.password} autoFocus />
    </Form>
  )
}

/** Signing in again makes a fresh session, and leads back to this page. */
function BySigningIn() {
  const { fresh } = useTexts()
  const here = location.pathname + location.search
  const signOut = useSignOut(`/sign-in?${new URLSearchParams({ next: here })}`)
  return (
    <>
      <p className="text-ink-soft">{fresh.withoutPassword}</p>
      <div className="flex justify-end">
        <Button look="primary" isPending={signOut.isPending} onPress={() => signOut.mutate()}>
          {fresh.signInAgain}
        </Button>
      </div>
    </>
  )
}
