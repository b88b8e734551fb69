import { useQuery } from '@tanstack/react-query'
import { Front } from '../../layout/front.tsx'
import { Navigate, useSearchParams } from '../../routing/router.tsx'
import { useAct } from '../../server/act.ts'
import { call } from '../../server/api.ts'
import { signOut } from '../../server/auth.ts'
import { useSession } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { Loaded } from '../../ui/lists/loaded.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
import { Notice } from '../../ui/messages/notice.tsx'

/** An application sent the browser here without showing whose session it means, so the user decides. */
export function EndSession() {
  const { endSession, nav } = useTexts()
  const { data: signedIn } = useSession()
  const [parameters] = useSearchParams()
  const query = Object.fromEntries(parameters)
  const facts = useQuery({
    queryKey: ['end-session', query],
    queryFn: () => call('/api/oauth/describe_sign_out', query),
  })
  const leave = useAct({
    act: async (redirectTo: string | null) => {
      await signOut()
      location.assign(redirectTo ?? '/sign-in')
    },
  })
  // Nobody is signed in, and the service has no address to go back to.
  if (signedIn === null && leave.isIdle) return <Navigate to="/sign-in" replace />
  return (
    <Front title={endSession.title}>
      <Loaded query={facts}>
        {({ client_name, redirect_to, is_redirect_refused }) => (
          <>
            <p className="text-ink-soft">{client_name ? endSession.asked(client_name) : endSession.text}</p>
            {is_redirect_refused && <Notice look="warning">{endSession.unregistered}</Notice>}
            <Failure error={leave.error} />
            <div className="flex flex-wrap items-center justify-between gap-3">
              <TextLink to="/">{endSession.stay}</TextLink>
              <Button look="primary" isPending={leave.isPending} onPress={() => leave.mutate(redirect_to)}>
                {nav.signOut}
              </Button>
            </div>
          </>
        )}
      </Loaded>
    </Front>
  )
}
