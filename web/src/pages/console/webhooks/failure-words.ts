import type { Output } from '../../../server/api.ts'
import type { Texts } from '../../../texts/en.ts'

type Failed = Pick<Output<'/api/admin/test_webhook'>, 'error' | 'answer_code'>

/** Codes of the system, and the sentences that earlier versions stored, are shown as they are. */
export function failureWords({ failures }: Texts['webhooks'], { error, answer_code }: Failed): string | null {
  if (error === null || !(error in failures)) return error
  const words = failures[error as keyof typeof failures]
  return typeof words === 'string' ? words : words(answer_code ?? 0)
}
