import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { useUnsaved } from '../../forms/unsaved.tsx'
import { ownNameOf } from '../../own-name.ts'
import { useAct } from '../../server/act.ts'
import { updateUser } from '../../server/auth.ts'
import { sessionQuery, useClientConfig, useSignedIn } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { Avatar } from '../../ui/facts/avatar.tsx'
import { Badge } from '../../ui/facts/badge.tsx'
import { Failure } from '../../ui/messages/failure.tsx'

export function Profile() {
  const texts = useTexts()
  const { profile } = texts
  const { user } = useSignedIn()
  const save = useAct({
    act: updateUser,
    done: profile.saved,
    refreshes: [sessionQuery.queryKey],
  })
  const { optional } = fieldsOf(texts)
  const form = useForm({
    schema: z.object({ name: optional }),
    initial: { name: ownNameOf(user) },
    error: save.error,
    draft: 'profile',
    isEdit: true,
    onSend: (sent) => {
      form.set(sent)
      save.mutate({ name: sent.name || user.email })
    },
  })
  useUnsaved(form)

  return (
    <form {...form.props}>
      <Card
        title={profile.title}
        lead={profile.lead}
        footer={
          <Button type="submit" look="primary" isPending={save.isPending}>
            {texts.common.save}
          </Button>
        }
      >
        <div className="flex max-w-xl flex-col gap-5">
          <div className="flex items-center gap-4">
            <Avatar name={form.values.name || user.email} image={user.image} className="size-16 text-page" />
            {user.image && (
              <Button look="plain" size="small" onPress={() => save.mutate({ image: null })}>
                {profile.removePicture}
              </Button>
            )}
          </div>
          <TextField {...form.field('name')} label={profile.name} autoComplete="name" maxLength={200} />
          <EmailField />
          <Failure error={form.failure} />
        </div>
      </Card>
    </form>
  )
}

function EmailField() {
  const { profile } = useTexts()
  const { user } = useSignedIn()
  return (
    <TextField
      label={profile.email}
      value={user.email}
      isDisabled
      hint={profile.emailHint}
      corner={<Confirmation />}
    />
  )
}

function Confirmation() {
  const { profile } = useTexts()
  const { user } = useSignedIn()
  const { forgot_password_shown } = useClientConfig()
  if (user.emailVerified) return <Badge look="accent">{profile.confirmed}</Badge>
  return (
    <span className="flex items-center gap-2 text-small">
      <Badge look="warning">{profile.unconfirmed}</Badge>
      {forgot_password_shown && (
        <TextLink
          to={`/verify?${new URLSearchParams({ email: user.email, send: 'now', next: '/settings' })}`}
        >
          {profile.confirm}
        </TextLink>
      )}
    </span>
  )
}
