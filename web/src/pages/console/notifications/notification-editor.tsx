import * as z from 'zod/mini'
import { fieldsOf } from '../../../forms/fields.ts'
import { useForm } from '../../../forms/form.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { Form } from '../../../ui/form.tsx'
import { consoleKeys } from '../queries.ts'
import type { Published } from '../rows.ts'
import { type Audience, AudienceField } from './audience-field.tsx'
import { NotificationPreview } from './notification-preview.tsx'

interface Props {
  /** Undefined for a new notification. */
  readonly published: Published | undefined
  onClose(): void
}

/** Editor with a live preview of what users will see. */
export function NotificationEditor({ published, onClose }: Props) {
  const { publishing, notifications, common, inbox } = useTexts()
  const form = useEditor({ published, onClose })
  return (
    <Dialog title={published ? publishing.edit : publishing.write} width="wide" onClose={onClose}>
      <Form form={form} place="end" submit={published ? common.save : publishing.publish} onCancel={onClose}>
        {!published && <AudienceField {...form.field('audience')} />}
        <TextField {...form.field('title')} label={publishing.headline} maxLength={200} />
        <TextField {...form.field('content')} label={publishing.content} rows={5} maxLength={10_000} />
        <TextField {...form.field('type')} label={inbox.type} hint={publishing.typeHint} maxLength={64} />
        <TextField {...form.field('link')} label={publishing.link} hint={publishing.linkHint} maxLength={2048} />
        <Segments {...form.field('level')} label={publishing.level} options={notifications.levels} />
        {!published && (
          <Switch {...form.field('also_email')} label={publishing.alsoEmail} hint={publishing.alsoEmailHint} />
        )}
        <NotificationPreview {...form.values} />
      </Form>
    </Dialog>
  )
}

function useEditor({ published, onClose }: Props) {
  const texts = useTexts()
  const { publishing, common } = texts
  const { required, optional } = fieldsOf(texts)
  return useForm({
    schema: z.object({
      audience: z.custom<Audience>().check(z.refine(isChosen, publishing.personMissing)),
      title: required,
      content: required,
      type: required,
      link: optional,
      level: z.enum(levels),
      also_email: z.boolean(),
    }),
    initial: {
      audience: everybody,
      title: published?.title ?? '',
      content: published?.content ?? '',
      type: published?.type ?? 'system',
      link: published?.link ?? '',
      level: published?.level ?? 'info',
      also_email: published?.also_email ?? false,
    },
    invalid: { link: publishing.linkInvalid },
    draft: `notification:${published?.id ?? 'new'}`,
    isEdit: published !== undefined,
    clears: true,
    asksToLeave: true,
    act: async ({ audience, also_email, link, ...others }) => {
      const words = { ...others, link: link || null }
      if (published) await call('/api/admin/update_notification', { id: published.id, ...words })
      else {
        const target_user_id = targetOf(audience)
        await call('/api/admin/create_notification', { ...words, also_email, target_user_id })
      }
    },
    done: published ? common.saved : publishing.published,
    refreshes: [consoleKeys.notifications],
    onDone: onClose,
  })
}

const levels = ['info', 'success', 'warning'] as const

const everybody: Audience = { kind: 'all' }

const isChosen = (audience: Audience) => audience.kind === 'all' || audience.user !== undefined

function targetOf(audience: Audience): string | null {
  return audience.kind === 'one' ? (audience.user?.id ?? null) : null
}
