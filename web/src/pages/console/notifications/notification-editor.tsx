import * as z from 'zod/mini'
import { fieldsOf } from '../../../forms/fields.ts'
import { useForm } from '../../../forms/form.ts'
import { useUnsaved } from '../../../forms/unsaved.tsx'
import { useAct } from '../../../server/act.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { Failure } from '../../../ui/messages/failure.tsx'
import type { Published } from '../rows.ts'
import { type Audience, AudienceField } from './audience-field.tsx'
import { NotificationPreview } from './notification-preview.tsx'

interface Props {
  /** Undefined for a new one. */
  readonly published: Published | undefined
  onClose(): void
}

/** Editor with a live preview of what users will see. */
export function NotificationEditor({ published, onClose }: Props) {
  const { publishing, common } = useTexts()
  const { form, publish } = useEditor({ published, onClose })
  return (
    <Dialog title={published ? publishing.edit : publishing.write} isOpen width="wide" onClose={onClose}>
      <form {...form.props} className="flex flex-col gap-5">
        {!published && <AudienceField {...form.field('audience')} />}
        <TextField {...form.field('title')} label={publishing.headline} maxLength={200} />
        <TextField {...form.field('content')} label={publishing.content} rows={5} maxLength={10_000} />
        <TextField
          {...form.field('type')}
          label={publishing.type}
          hint={publishing.typeHint}
          maxLength={64}
        />
        <TextField
          {...form.field('link')}
          label={publishing.link}
          hint={publishing.linkHint}
          maxLength={2048}
        />
        <Delivery form={form} isNew={!published} />
        <NotificationPreview {...form.values} />
        <Failure error={form.failure} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button type="submit" look="primary" isPending={publish.isPending}>
            {published ? common.save : publishing.publish}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface DeliveryProps {
  readonly form: ReturnType<typeof useEditor>['form']
  readonly isNew: boolean
}

function Delivery({ form, isNew }: DeliveryProps) {
  const { publishing, notifications } = useTexts()
  return (
    <>
      <Segments
        label={publishing.level}
        value={form.values.level}
        options={notifications.levels}
        onChange={(level) => form.set({ level })}
      />
      {isNew && (
        <Switch {...form.toggle('also_email')} label={publishing.alsoEmail} hint={publishing.alsoEmailHint} />
      )}
    </>
  )
}

function useEditor({ published, onClose }: Props) {
  const texts = useTexts()
  const { publishing } = texts
  const { required, optional } = fieldsOf(texts)
  const publish = usePublish(published)
  const form = useForm({
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
    error: publish.error,
    draft: `notification:${published?.id ?? 'new'}`,
    isEdit: published !== undefined,
    onSend: ({ audience, ...words }) =>
      publish.mutate({ ...words, target_user_id: targetOf(audience) }, { onSuccess: done }),
  })
  const markAsSaved = useUnsaved(form)
  const done = () => {
    form.clear()
    markAsSaved()
    onClose()
  }
  return { form, publish }
}

interface Draft {
  readonly title: string
  readonly content: string
  readonly type: string
  readonly link: string
  readonly level: Published['level']
  readonly also_email: boolean
  readonly target_user_id: string | null
}

function usePublish(published: Published | undefined) {
  const { publishing } = useTexts()
  return useAct({
    act: async ({ target_user_id, also_email, ...draft }: Draft) => {
      const words = { ...draft, link: draft.link || null }
      if (published) await call('/api/admin/update_notification', { id: published.id, ...words })
      else await call('/api/admin/create_notification', { ...words, also_email, target_user_id })
    },
    done: published ? publishing.saved : publishing.published,
    refreshes: [['console', 'notifications']],
  })
}

const levels = ['info', 'success', 'warning'] as const

const everybody: Audience = { kind: 'all' }

const isChosen = (audience: Audience) => audience.kind === 'all' || audience.user !== undefined

function targetOf(audience: Audience): string | null {
  return audience.kind === 'one' ? (audience.user?.id ?? null) : null
}
