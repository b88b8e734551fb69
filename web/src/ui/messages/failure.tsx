import type { ReactNode } from 'react'
import { ApiError } from '../../server/api.ts'
import { ScriptError } from '../../server/scripts.ts'
import type { Texts } from '../../texts/en.ts'
import { useTexts } from '../../texts/texts.tsx'
import { refusalWords } from '../../texts/word-of.ts'
import { Notice } from './notice.tsx'

/** The server's words where the product refuses somebody and does not say why. */
const noReason = 'You cannot do this here right now.'

/** The catalogue's text for a failure; never a raw code. A product that refuses says why itself. */
export function wordsOf(texts: Texts, error: Error): string {
  if (error instanceof ScriptError) return scriptWordsOf(texts, error)
  if (!(error instanceof ApiError)) return texts.unknownFailure
  const isOfProduct = error.code === 'HOOK_REFUSED' && error.message !== noReason
  const words = (!isOfProduct && refusalWords(texts, error.code)) || serverWordsOf(texts, error)
  return error.retryAfterSeconds === undefined ? words : `${words} ${texts.waitSeconds(error.retryAfterSeconds)}`
}

function scriptWordsOf(texts: Texts, { isOutdated, reason }: ScriptError): string {
  if (isOutdated) return texts.broken.outdated
  return reason ? wordsOf(texts, reason) : texts.broken.text
}

const serverWordsOf = (texts: Texts, error: ApiError) =>
  error.message === error.code ? texts.unknownFailure : error.message

/** More specific texts than the catalogue's, by code. */
export type FailureWords = Readonly<Record<string, string>>

interface Props {
  readonly error: Error | null | undefined
  readonly words?: FailureWords
  readonly action?: ReactNode
}

export function Failure({ error, words = {}, action }: Props) {
  const texts = useTexts()
  if (!error) return null
  const own = error instanceof ApiError ? words[error.code] : undefined
  return (
    <Notice look="danger" action={action}>
      {own ?? wordsOf(texts, error)}
    </Notice>
  )
}
