import * as z from 'zod/mini'
import { fieldsOf } from '../../../forms/fields.ts'
import type { useForm } from '../../../forms/form.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'

export interface Message {
  readonly title: string
  readonly content: string
}

export const emptyMessage: Message = { title: '', content: '' }

export function useMessageSchema() {
  const { required } = fieldsOf(useTexts())
  return z.object({ title: required, content: required })
}

/** A notification that only this user sees. */
export const writeTo = (target_user_id: string, message: Message) =>
  call('/api/admin/create_notification', { ...message, type: 'system', target_user_id })

export function MessageFields({ form }: { readonly form: ReturnType<typeof useForm<Message, Message>> }) {
  const { publishing } = useTexts()
  return (
    <>
      <TextField {...form.field('title')} label={publishing.headline} maxLength={200} autoFocus />
      <TextField {...form.field('content')} label={publishing.content} rows={5} maxLength={10_000} />
    </>
  )
}
