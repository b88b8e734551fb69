import * as z from 'zod/mini'
import { fieldsOf } from '../../../forms/fields.ts'
import { useForm } from '../../../forms/form.ts'
import { useUnsaved } from '../../../forms/unsaved.tsx'
import { useAct } from '../../../server/act.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { Failure } from '../../../ui/messages/failure.tsx'
import { consoleKeys } from '../queries.ts'

const ways = ['invite', 'create'] as const

interface Sent {
  readonly way: (typeof ways)[number]
  readonly email: string
  readonly name: string
  readonly password: string
}

/** Adds a user, with an invitation or immediately. */
export function Invite({ onClose }: { onClose(): void }) {
  const { invite, common } = useTexts()
  const { form, isPending } = useInvite(onClose)
  const way = form.values.way === 'create' ? 'create' : 'invite'
  return (
    <Dialog title={invite.title} isOpen onClose={onClose}>
      <form {...form.props} className="flex flex-col gap-4">
        <Segments
          label={invite.how}
          value={way}
          options={invite.ways}
          onChange={(chosen) => form.set({ way: chosen })}
        />
        <p className="text-ink-soft">{invite.hints[way]}</p>
        <TextField {...form.field('email')} label={invite.email} type="email" autoComplete="off" autoFocus />
        <TextField {...form.field('name')} label={invite.name} autoComplete="off" maxLength={254} />
        {way === 'create' && (
          <TextField
            {...form.field('password')}
            label={invite.password}
            type="password"
            autoComplete="new-password"
          />
        )}
        <Failure error={form.failure} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button type="submit" look="primary" isPending={isPending}>
            {way === 'invite' ? invite.send : invite.create}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function useInvite(onClose: () => void) {
  const texts = useTexts()
  const { invite } = texts
  const add = useAct({
    act: ({ way, email, name, password }: Sent) => {
      const who = { email, ...(name && { name }) }
      if (way === 'invite') return call('/api/admin/invite_user', who)
      return call('/api/admin/create_user', { ...who, ...(password && { password }) })
    },
    done: (_, { way, email }) => (way === 'invite' ? invite.sent(email) : invite.created(email)),
    refreshes: [consoleKeys.users, consoleKeys.overview],
  })
  const form = useForm({
    schema: z.object({
      way: z.enum(ways),
      email: fieldsOf(texts).email,
      name: z.string().check(z.trim()),
      password: z.string(),
    }),
    initial: { way: 'invite', email: '', name: '', password: '' },
    error: add.error,
    draft: 'invite',
    secrets: ['password'],
    refusals: {
      USER_ALREADY_EXISTS: ['email'],
      EMAIL_DOMAIN_NOT_ALLOWED: ['email'],
      PASSWORD_TOO_SHORT: ['password'],
      PASSWORD_TOO_LONG: ['password'],
      PASSWORD_COMPROMISED: ['password'],
    },
    onSend: (sent) =>
      add.mutate(sent, {
        onSuccess: () => {
          form.clear()
          markAsSaved()
          onClose()
        },
      }),
  })
  const markAsSaved = useUnsaved(form)
  return { form, isPending: add.isPending }
}
