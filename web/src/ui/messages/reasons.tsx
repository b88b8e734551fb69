import { ApiError } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { wordsOf } from './failure.tsx'
import { Notice } from './notice.tsx'

/** For the administrator: the failure, and each reason that the server gave. */
export function Reasons({ error }: { readonly error: Error | null }) {
  const texts = useTexts()
  if (!error) return null
  const reasons = error instanceof ApiError ? reasonsOf(error) : []
  return (
    <Notice look="danger" {...(reasons.length > 0 && { title: wordsOf(texts, error) })}>
      {reasons.length === 0 ? wordsOf(texts, error) : reasons.map((reason) => <p key={reason}>{reason}</p>)}
    </Notice>
  )
}

function reasonsOf({ code, message, issues }: ApiError): readonly string[] {
  if (issues.length > 0) return [...new Set(issues.map((issue) => issue.message))]
  return (code === 'INVALID_REQUEST' || code === 'MAIL_NOT_SENT') && message !== code ? [message] : []
}
