import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { ownNameOf } from '../../own-name.ts'
import { call } from '../../server/api.ts'
import { sessionQuery, useClientConfig, useSignedIn } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { chooseTheme, useTheme } from '../../theme.ts'
import { Card } from '../../ui/card.tsx'
import { ActButton } from '../../ui/controls/act-button.tsx'
import { Segments } from '../../ui/controls/segments.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { Avatar } from '../../ui/facts/avatar.tsx'
import { Badge } from '../../ui/facts/badge.tsx'
import { FormCard } from '../../ui/form.tsx'
import { EmailCard } from './email-card.tsx'

export function Profile() {
  const texts = useTexts()
  const { profile, settings } = texts
  const { user } = useSignedIn()
  const { email_changes_enabled } = useClientConfig()
  const form = useForm({
    schema: z.object({ name: fieldsOf(texts).optional }),
    initial: { name: ownNameOf(user) },
    draft: 'profile',
    isEdit: true,
    clears: true,
    asksToLeave: true,
    act: ({ name }) => call('/api/auth/update-user', { name: name || user.email }),
    done: profile.saved,
    refreshes: [sessionQuery.queryKey],
  })

  const canChange = email_changes_enabled && user.role !== 'administrator'
  return (
    <>
      <FormCard form={form} title={settings.profile} lead={profile.lead} submit={texts.common.save}>
        <div className="flex items-center gap-4">
          <Avatar name={form.values.name || user.email} image={user.image} className="size-16 text-page" />
          {user.image && <RemovePicture />}
        </div>
        <TextField {...form.field('name')} label={profile.name} autoComplete="name" maxLength={200} />
        <EmailField />
      </FormCard>
      {canChange && <EmailCard />}
      <Card title={texts.common.theme} lead={profile.themeLead} isSplit>
        <Segments label={texts.common.theme} value={useTheme()} options={texts.common.themes} onChange={chooseTheme} />
      </Card>
    </>
  )
}

function RemovePicture() {
  const { profile } = useTexts()
  return (
    <ActButton
      look="plain"
      size="small"
      label={profile.removePicture}
      act={() => call('/api/auth/update-user', { image: null })}
      done={profile.saved}
      refreshes={[sessionQuery.queryKey]}
    />
  )
}

function EmailField() {
  const { profile, common } = useTexts()
  const { user } = useSignedIn()
  const { email_changes_enabled } = useClientConfig()
  const hint = email_changes_enabled ? undefined : profile.emailHint
  return <TextField label={common.email} value={user.email} isDisabled hint={hint} corner={<Confirmation />} />
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
        <TextLink to={`/verify?${new URLSearchParams({ email: user.email, send: 'now', next: '/settings' })}`}>
          {profile.confirm}
        </TextLink>
      )}
    </span>
  )
}
