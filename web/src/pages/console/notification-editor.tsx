import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call } from '../../api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Reasons } from '../../ui/reasons.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type Audience, AudienceField } from './audience-field.tsx'
import type { Published } from './rows.ts'

interface Props {
  /** Undefined where a new one is written. */
  readonly published: Published | undefined
  onClose(): void
}

/** Editor with a live preview of what users will see. */
export function NotificationEditor({ published, onClose }: Props) {
  const { publishing, common } = useTexts()
  const [title, setTitle] = useState(published?.title ?? '')
  const [content, setContent] = useState(published?.content ?? '')
  const [type, setType] = useState(published?.type ?? 'system')
  const [audience, setAudience] = useState<Audience>({ kind: 'all' })
  const isReady =
    title.trim() !== '' && content.trim() !== '' && (audience.kind === 'all' || audience.user !== undefined)
  const publish = usePublish(published, onClose)
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (isReady) publish.mutate({ title, content, type, target_user_id: targetOf(audience) })
  }

  return (
    <Dialog title={published ? publishing.edit : publishing.write} isOpen width="wide" onClose={onClose}>
      <form noValidate onSubmit={send} className="flex flex-col gap-5">
        {!published && <AudienceField audience={audience} onChange={setAudience} />}
        <TextField label={publishing.headline} maxLength={200} value={title} onChange={setTitle} />
        <TextField
          label={publishing.content}
          rows={5}
          maxLength={10_000}
          value={content}
          onChange={setContent}
        />
        <TextField label={publishing.type} maxLength={64} value={type} onChange={setType} />
        <Preview title={title} content={content} />
        <Reasons error={publish.error} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button type="submit" look="primary" isPending={publish.isPending} isDisabled={!isReady}>
            {published ? common.save : publishing.publish}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Preview({ title, content }: { readonly title: string; readonly content: string }) {
  const { publishing } = useTexts()
  return (
    <section aria-label={publishing.preview} className="rounded-lg border border-line border-dashed p-4">
      <p className="mb-2 text-[0.8rem] text-ink-soft">{publishing.preview}</p>
      <p className="font-semibold">{title || publishing.headline}</p>
      <p className="mt-1 whitespace-pre-line break-words text-ink-soft">{content || '…'}</p>
    </section>
  )
}

interface Draft {
  readonly title: string
  readonly content: string
  readonly type: string
  readonly target_user_id: string | null
}

function usePublish(published: Published | undefined, onDone: () => void) {
  const { publishing } = useTexts()
  const queryClient = useQueryClient()
  const say = useToast()
  return useMutation({
    mutationFn: async ({ target_user_id, ...words }: Draft) => {
      if (published) await call('/api/admin/update_notification', { id: published.id, ...words })
      else await call('/api/admin/create_notification', { ...words, target_user_id })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['console', 'notifications'] })
      say(published ? publishing.saved : publishing.published)
      onDone()
    },
  })
}

function targetOf(audience: Audience): string | null {
  return audience.kind === 'one' ? (audience.user?.id ?? null) : null
}
