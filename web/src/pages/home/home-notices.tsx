import { useQuery } from '@tanstack/react-query'
import { Link } from '../../routing/router.tsx'
import { useClientConfig, useSignedIn } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { buttonClass } from '../../ui/controls/button.tsx'
import { Notice } from '../../ui/messages/notice.tsx'
import { accountsQuery } from '../settings/queries.ts'

/** Steps the user should still take to protect the account. */
export function HomeNotices() {
  const { home, verify, password } = useTexts()
  const { user } = useSignedIn()
  const { forgot_password_shown } = useClientConfig()
  const accounts = useQuery({ ...accountsQuery, enabled: user.role === 'administrator' })
  const passwordIsInitial = accounts.data?.some((account) => account.passwordIsInitial)
  const small = buttonClass({ size: 'small' })
  return (
    <>
      {passwordIsInitial && (
        <Notice
          look="warning"
          title={home.initialPasswordTitle}
          action={
            <Link to="/settings/security#password" className={small}>
              {password.submit}
            </Link>
          }
        >
          {home.initialPasswordText}
        </Notice>
      )}
      {!user.emailVerified && forgot_password_shown && !/[@.]community\.local$/.test(user.email) && (
        <Notice
          look="info"
          title={home.verifyTitle}
          action={
            <Link to={`/verify?${new URLSearchParams({ email: user.email, send: 'now' })}`} className={small}>
              {verify.submit}
            </Link>
          }
        >
          {home.verifyText}
        </Notice>
      )}
    </>
  )
}
