import { useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { securityQuery } from '../../pages/settings/queries.ts'
import { useAct } from '../../server/act.ts'
import { call } from '../../server/api.ts'
import { confirmWithPasskey, isCancelled } from '../../server/passkeys/passkeys.ts'
import { useSignOut } from '../../server/sign-out.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../controls/button.tsx'
import { TextField } from '../controls/text-field.tsx'
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
    <Dialog title={fresh.title} isOpen onClose={() => onEnd(false)}>
      <Loaded query={overview}>
        {({ hasPassword, passkeys }) => (
          <div className="flex flex-col gap-4">
            {hasPassword && <WithPassword onEnd={onEnd} />}
            {passkeys.length > 0 && <WithPasskey isAlone={!hasPassword} onEnd={onEnd} />}
            {!hasPassword && passkeys.length === 0 && <BySigningIn />}
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}

function WithPasskey({ isAlone, onEnd }: Props & { readonly isAlone: boolean }) {
  const { fresh } = useTexts()
  const confirm = useAct({ act: () => confirmWithPasskey(), onDone: () => onEnd(true) })
  return (
    <>
      {isAlone && <p className="text-ink-soft">{fresh.byPasskey}</p>}
      {!isCancelled(confirm.error) && <Failure error={confirm.error} />}
      <Button
        look={isAlone ? 'primary' : 'plain'}
        isPending={confirm.isPending}
        onPress={() => confirm.mutate()}
      >
        <Icon name="key" /> {fresh.passkey}
      </Button>
    </>
  )
}

function WithPassword({ onEnd }: Props) {
  const texts = useTexts()
  const { fresh, common } = texts
  const confirm = useAct({
    act: (sent: { readonly password: string }) => call('/api/auth/confirm', sent),
    onDone: () => onEnd(true),
  })
  const form = useForm({
    schema: z.object({ password: fieldsOf(texts).password }),
    initial: { password: '' },
    error: confirm.error,
    refusals: { INVALID_EMAIL_OR_PASSWORD: ['password', texts.form.passwordWrong] },
    onSend: (sent) => confirm.mutate(sent),
  })
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <p className="text-ink-soft">{fresh.text}</p>
      <TextField
        {...form.field('password')}
        label={fresh.password}
        type="password"
        autoComplete="current-password"
        autoFocus
      />
      <Failure error={form.failure} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onPress={() => onEnd(false)}>{common.cancel}</Button>
        <Button type="submit" look="primary" isPending={confirm.isPending}>
          {fresh.action}
        </Button>
      </div>
    </form>
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
