import * as z from 'zod/mini'
import { fieldsOf, passwordRefusals } from '../../../forms/fields.ts'
import { useForm } from '../../../forms/form.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { Form } from '../../../ui/form.tsx'
import { consoleKeys } from '../queries.ts'

const ways = ['invite', 'create'] as const

/** Adds a user, with an invitation or immediately. */
export function Invite({ onClose }: { onClose(): void }) {
  const { invite } = useTexts()
  const form = useInvite(onClose)
  const way = form.values.way === 'create' ? 'create' : 'invite'
  return (
    <Dialog title={invite.open} onClose={onClose}>
      <Form
        form={form}
        className="gap-4"
        place="end"
        submit={way === 'invite' ? invite.send : invite.create}
        onCancel={onClose}
      >
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
          <TextField {...form.field('password')} label={invite.password} type="password" autoComplete="new-password" />
        )}
      </Form>
    </Dialog>
  )
}

function useInvite(onClose: () => void) {
  const texts = useTexts()
  const { invite } = texts
  const { email, optional } = fieldsOf(texts)
  return useForm({
    schema: z.object({ way: z.enum(ways), email, name: optional, password: z.string() }),
    initial: { way: 'invite', email: '', name: '', password: '' },
    draft: 'invite',
    secrets: ['password'],
    clears: true,
    asksToLeave: true,
    refusals: {
      USER_ALREADY_EXISTS: ['email'],
      EMAIL_DOMAIN_NOT_ALLOWED: ['email'],
      ...passwordRefusals('password'),
    },
    act: (sent) => {
      const who = { email: sent.email, ...(sent.name && { name: sent.name }) }
      if (sent.way === 'invite') return call('/api/admin/invite_user', who)
      return call('/api/admin/create_user', { ...who, ...(sent.password && { password: sent.password }) })
    },
    done: (_, sent) => (sent.way === 'invite' ? invite.sent(sent.email) : invite.created(sent.email)),
    refreshes: [consoleKeys.users, consoleKeys.overview],
    onDone: onClose,
  })
}
