import type { ReactNode } from 'react'
import type { Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { useDate } from '../../../ui/facts/time.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'

interface Props extends Pick<Output<'/api/admin/get_overview'>, 'mail_trouble' | 'mails_failing'> {
  readonly action?: ReactNode
}

/** Stays until an email is accepted again, even if all that were waiting have expired. */
export function MailTrouble({ mail_trouble: trouble, mails_failing: failing, action }: Props) {
  const { overview } = useTexts()
  const date = useDate()
  if (!trouble) return null
  return (
    <Notice look="warning" title={overview.mailTroubleTitle} action={action}>
      <p>{overview.mailTroubleText(date(trouble.since), failing)}</p>
      <PersonText>{trouble.reason}</PersonText>
    </Notice>
  )
}
