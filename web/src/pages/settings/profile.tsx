import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { updateUser } from '../../auth.ts'
import { pictureProblem } from '../../form.ts'
import { ownNameOf } from '../../own-name.ts'
import { sessionQuery, useClientConfig, useSignedIn } from '../../session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { useToast } from '../../ui/toast.tsx'

export function Profile() {
  const texts = useTexts()
  const { profile } = texts
  const { user } = useSignedIn()
  const [name, setName] = useState(ownNameOf(user))
  const [image, setImage] = useState(user.image ?? '')
  const [isTried, setTried] = useState(false)
  const save = useSave()
  const problem = pictureProblem(texts, image)

  const send = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!problem) save.mutate({ name: name.trim() || user.email, image: image.trim() || null })
  }
  return (
    <form noValidate onSubmit={send}>
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
          <Avatar name={name || user.email} image={user.image} className="size-16 text-[1.6rem]" />
          <TextField
            label={profile.name}
            autoComplete="name"
            maxLength={200}
            value={name}
            onChange={setName}
          />
          <TextField
            label={profile.avatar}
            type="url"
            placeholder="https://"
            hint={profile.avatarHint}
            value={image}
            onChange={setImage}
            problem={isTried ? problem : undefined}
          />
          <EmailField />
          <Failure error={save.error} />
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
    <span className="flex items-center gap-2 text-[0.867rem]">
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

function useSave() {
  const { profile } = useTexts()
  const queryClient = useQueryClient()
  const say = useToast()
  return useMutation({
    mutationFn: updateUser,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
      say(profile.saved)
    },
  })
}
