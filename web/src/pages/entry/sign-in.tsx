import { skipToken, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { hasDraft, wasSignedIn } from '../../forms/draft.ts'
import { Front } from '../../layout/front.tsx'
import { useReturn } from '../../routing/return-path.ts'
import { Navigate, useSearchParams } from '../../routing/router.tsx'
import { heldAccountsQuery, useSwitch } from '../../server/accounts.ts'
import { useAct } from '../../server/act.ts'
import { hasPasskeys, isCancelled, offersPasskeys, signInWithPasskey } from '../../server/passkeys/passkeys.ts'
import { isAdding, useClientConfig, useEnter, useHasSeveral, useSession } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { SentenceWith } from '../../ui/facts/person-text.tsx'
import { Icon } from '../../ui/icon.tsx'
import { AccountList } from '../../ui/lists/account-list.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
import { Notice } from '../../ui/messages/notice.tsx'
import { requestIn, useAskingClient } from '../access/asking-client.ts'
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
  const isDeleted = search.get('account') === 'deleted'
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
      {isDeleted && <Notice look="done">{texts.accountDeleted}</Notice>}
      {hasEnded && !isDeleted && !isAdding() && <Notice look="info">{texts.ended(hasDraft())}</Notice>}
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

/** The accounts that this browser still holds after the active one was signed out elsewhere. */
function HeldAccounts({ next }: { readonly next: string }) {
  const { signIn } = useTexts()
  const hasSeveral = useHasSeveral()
  const { data: accounts = [] } = useQuery({
    ...heldAccountsQuery,
    queryFn: hasSeveral ? heldAccountsQuery.queryFn : skipToken,
  })
  const change = useSwitch(next)
  if (accounts.length === 0) return null
  return (
    <AccountList
      accounts={accounts}
      label={signIn.held}
      pending={change.isPending ? change.variables : undefined}
      onChoose={change.mutate}
    />
  )
}

/** Signs in with a click, or by the browser's own offer in the address field. */
function PasskeyButton() {
  const { secondStep } = useTexts()
  const enter = useEnter()
  const submit = useAct({ act: () => signInWithPasskey(), onDone: enter })
  useOffer(enter)
  return (
    <>
      <Button isPending={submit.isPending} onPress={() => submit.mutate()}>
        <Icon name="key" /> {secondStep.signIn}
      </Button>
      {!isCancelled(submit.error) && <Failure error={submit.error} />}
    </>
  )
}

function useOffer(enter: () => Promise<void>) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the offer is made once, when the page opens.
  useEffect(() => {
    const offer = async () => {
      if (!(await offersPasskeys())) return
      await signInWithPasskey(true)
      await enter()
    }
    // The user did not ask for it, so a failure is not shown here: the button shows what is wrong.
    offer().catch(() => undefined)
  }, [])
}
