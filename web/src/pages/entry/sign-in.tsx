import { useState } from 'react'
import { hasDraft, wasSignedIn } from '../../forms/draft.ts'
import { Front } from '../../layout/front.tsx'
import { useReturn } from '../../routing/return-path.ts'
import { Navigate, useSearchParams } from '../../routing/router.tsx'
import { hasPasskeys } from '../../server/passkeys/passkeys.ts'
import { isAdding, useClientConfig, useSession } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { SentenceWith } from '../../ui/facts/person-text.tsx'
import { Notice } from '../../ui/messages/notice.tsx'
import { requestIn, useAskingClient } from '../access/asking-client.ts'
import { HeldAccounts } from './held-accounts.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { PasswordForm } from './password-form.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { ProviderFailure } from './provider-failure.tsx'

export function SignIn() {
  const { signIn: texts } = useTexts()
  const [search] = useSearchParams()
  const { app_name, registration_enabled } = useClientConfig()
  const { data: signedIn } = useSession()
  const back = useReturn()
  // Kept as it was on arrival: the sign-in here begins the next session. A preview ends none.
  const [hasEnded] = useState(() => wasSignedIn() && window.location.pathname === '/sign-in')
  const client = useAskingClient(back.path)
  if (signedIn && !isAdding()) return <Navigate to={back.landing(signedIn.user)} replace />

  return (
    <Front
      title={isAdding() ? texts.addTitle : texts.title}
      lead={
        isAdding() ? (
          texts.addLead
        ) : isForTerminal(back.path) ? (
          texts.forTerminal
        ) : (
          <SentenceWith sentence={texts.lead} words={client ?? app_name} />
        )
      }
      below={
        <>
          {registration_enabled && (
            <>
              {texts.noAccount} <TextLink to={back.via('/sign-up')}>{texts.signUp}</TextLink>
            </>
          )}
          {isAdding() && signedIn && (
            <>
              {' · '}
              <TextLink to={back.path}>{texts.cancel}</TextLink>
            </>
          )}
        </>
      }
    >
      {search.get('account') === 'deleted' && <Notice look="done">{texts.accountDeleted}</Notice>}
      {hasEnded && !isAdding() && <Notice look="info">{texts.ended(hasDraft())}</Notice>}
      <ProviderFailure />
      {signedIn === null && <HeldAccounts next={back.path} />}
      <ProviderButtons>{hasPasskeys && <PasskeyButton />}</ProviderButtons>
      <PasswordForm />
    </Front>
  )
}

/** The command-line client asks with its own id, a device with none; any other id is an application's. */
function isForTerminal(path: string): boolean {
  return path.startsWith('/oauth/authorize') && /^(cli-client)?$/.test(requestIn(path).get('client_id') ?? '')
}
