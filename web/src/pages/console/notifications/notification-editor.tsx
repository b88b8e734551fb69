import * as z from 'zod/mini'
import { fieldsOf } from '../../../forms/fields.ts'
import { useForm } from '../../../forms/form.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { Form } from '../../../ui/form.tsx'
import { consoleKeys } from '../queries.ts'
import type { Published } from '../rows.ts'
import { type Audience, AudienceField, Reach, useAimedAt } from './audience-field.tsx'
import { LabelledSegments } from './labelled-segments.tsx'
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
  const { audience, type, also_email, publish_at } = form.values
  const aimed = useAimedAt()(audience)
  const isWaiting = published === undefined || published.publish_at !== null
  const publish = publish_at === '' ? publishing.publish : publishing.schedule
  return (
    <Dialog title={published ? publishing.edit : publishing.write} width="widest" onClose={onClose}>
      <Form
        form={form}
        place="end"
        submit={published ? common.save : publish}
        onCancel={onClose}
        more={!published && <Reach aimed={aimed} type={type} isMailed={also_email} />}
      >
        <div className="grid items-start gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,1fr)_24rem]">
          <div className="flex min-w-0 flex-col gap-5">
            {!published && <AudienceField {...form.field('audience')} />}
            <TextField {...form.field('title')} label={publishing.headline} maxLength={200} />
            <TextField
              {...form.field('content')}
              label={publishing.content}
              hint={publishing.contentHint}
              rows={5}
              maxLength={10_000}
            />
            <TextField {...form.field('link')} label={publishing.link} hint={publishing.linkHint} maxLength={2048} />
            <div className="grid gap-5 sm:grid-cols-2">
              <TextField {...form.field('type')} label={inbox.type} hint={publishing.typeHint} maxLength={64} />
              <LabelledSegments {...form.field('level')} label={publishing.level} options={notifications.levels} />
              {isWaiting && (
                <TextField
                  {...form.field('publish_at')}
                  label={publishing.publishAt}
                  hint={publishing.publishAtHint}
                  type="datetime-local"
                />
              )}
              {!published && (
                <Switch {...form.field('also_email')} label={publishing.alsoEmail} hint={publishing.alsoEmailHint} />
              )}
            </div>
          </div>
          <div className="min-w-0 lg:sticky lg:top-0">
            <NotificationPreview {...form.values} />
          </div>
        </div>
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
      audience: z.custom<Audience>().check(
        z.refine((one) => one.kind !== 'one' || one.user !== undefined, publishing.personMissing),
        z.refine((one) => one.kind !== 'view' || one.id !== '', publishing.viewMissing),
      ),
      title: required,
      content: required,
      type: required,
      link: optional,
      level: z.enum(levels),
      also_email: z.boolean(),
      publish_at: z.string(),
    }),
    initial: {
      audience: everybody,
      title: published?.title ?? '',
      content: published?.content ?? '',
      type: published?.type ?? 'system',
      link: published?.link ?? '',
      level: published?.level ?? 'info',
      also_email: published?.also_email ?? false,
      publish_at: inputTime(published?.publish_at),
    },
    invalid: { link: publishing.linkInvalid, publish_at: publishing.passed },
    draft: `notification:${published?.id ?? 'new'}`,
    isEdit: published !== undefined,
    clears: true,
    asksToLeave: true,
    act: useSending(published),
    done: (isScheduled) => {
      if (published) return common.saved
      return isScheduled ? publishing.scheduled : publishing.published
    },
    refreshes: [consoleKeys.notifications],
    onDone: onClose,
  })
}

interface Written extends Pick<Published, 'title' | 'content' | 'type' | 'level' | 'also_email'> {
  readonly audience: Audience
  readonly link: string
  readonly publish_at: string
}

/** Resolves to whether it waits for its time. */
function useSending(published: Published | undefined) {
  const aimedAt = useAimedAt()
  return async ({ audience, also_email, link, publish_at, ...others }: Written, changed: readonly string[]) => {
    const time = publish_at === '' ? {} : { publish_at: Date.parse(publish_at) }
    const words = { ...others, link: link || null }
    if (published) {
      const other = changed.includes('publish_at') ? time : {}
      await call('/api/admin/update_notification', { id: published.id, ...words, ...other })
    } else await call('/api/admin/create_notification', { ...words, ...time, also_email, ...aimedAt(audience) })
    return publish_at !== ''
  }
}

const levels = ['info', 'success', 'warning'] as const

const everybody: Audience = { kind: 'all' }

/** The form of a field for a local time. */
function inputTime(time: number | null | undefined): string {
  if (!time) return ''
  const here = new Date(time - new Date(time).getTimezoneOffset() * 60_000)
  return here.toISOString().slice(0, 16)
}
