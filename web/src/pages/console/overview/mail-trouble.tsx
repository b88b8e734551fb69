import type { Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { useDate } from '../../../ui/facts/time.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'

type Overview = Output<'/api/admin/get_overview'>

/** Stays until an email is accepted again, even if all that were waiting have expired. */
export function MailTrouble({ mail_trouble: trouble, mails_failing: failing }: Overview) {
  const { overview } = useTexts()
  const date = useDate()
  if (!trouble) return null
  return (
    <Notice
      look="warning"
      title={overview.mailTroubleTitle}
      action={<TextLink to="/console/settings/email">{overview.mailTroubleAction}</TextLink>}
    >
      <p>{overview.mailTroubleText(date(trouble.since), failing)}</p>
      <PersonText>{trouble.reason}</PersonText>
    </Notice>
  )
}
