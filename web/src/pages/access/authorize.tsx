import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useEffect, useRef } from 'react'
import * as z from 'zod/mini'
import { dropDraft } from '../../forms/draft.ts'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { Front } from '../../layout/front.tsx'
import { ToVerify } from '../../layout/to-verify.tsx'
import { Navigate, useLocation, useNavigateNext, useSearchParams } from '../../routing/router.tsx'
import { type ActOptions, useAct } from '../../server/act.ts'
import { ApiError, call, type Output } from '../../server/api.ts'
import { useHasSeveral, useSession } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { Form } from '../../ui/form.tsx'
import { LoadFailure } from '../../ui/lists/loaded.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
import { Spinner } from '../../ui/messages/spinner.tsx'
import { clientQuery } from './asking-client.ts'
import { ChooseAccount, wantsChoice } from './choose-account.tsx'

/** Begins a client's request; without one in the address, asks for a device's code. */
export function Authorize() {
  const session = useSession()
  const signedIn = session.data
  const { pathname, search } = useLocation()
  const [parameters] = useSearchParams()
  const hasSeveral = useHasSeveral()
  if (signedIn === undefined) return <Preparing failed={session.error !== null && session} />
  if (signedIn === null) {
    const signIn = `/sign-in?${new URLSearchParams({ next: pathname + search })}`
    return parameters.has('client_id') ? (
      <Check query={Object.fromEntries(parameters)} next={signIn} />
    ) : (
      <Navigate to={signIn} replace />
    )
  }
  if (hasSeveral && parameters.has('client_id') && wantsChoice(parameters, signedIn.user.email))
    return <ChooseAccount query={parameters} />
  const hasRequest = parameters.has('client_id') || parameters.has('user_code')
  return hasRequest ? <Begin key={search} query={Object.fromEntries(parameters)} /> : <AskForCode />
}

/** Shown until the request's content is known, or the reason why it cannot be. */
function Preparing({ failed }: { readonly failed?: ComponentProps<typeof LoadFailure>['query'] | false }) {
  const { authorize } = useTexts()
  return (
    <Front title={authorize.title}>
      {failed ? (
        <LoadFailure query={failed} />
      ) : (
        <p role="status" className="flex items-center gap-3 text-ink-soft">
          <Spinner /> {authorize.preparing}
        </p>
      )}
    </Front>
  )
}

/** Nobody has to sign in to learn that a request cannot be answered. */
function Check({ query, next }: { readonly query: Record<string, string>; readonly next: string }) {
  const client = useQuery(clientQuery(query))
  if (client.data) return <Navigate to={next} replace />
  if (!client.error) return <Preparing />
  return isRefusal(client.error) ? <Refused error={client.error} /> : <Preparing failed={client} />
}

export function Refused({ error }: { readonly error: Error }) {
  const { authorize } = useTexts()
  return (
    <Front
      title={authorize.failedTitle}
      lead={authorize.failedText}
      below={<TextLink to="/oauth/authorize">{authorize.enterCode}</TextLink>}
    >
      <Failure error={error} words={authorize.failures} />
    </Front>
  )
}

type Begun = Output<'/api/oauth/begin_authorization'>

function useBeginning(): ActOptions<Record<string, string>, Begun> {
  const navigate = useNavigateNext()
  return {
    act: (query) => call('/api/oauth/begin_authorization', query),
    onDone: ({ request_id, redirect_to }, { client_id }) => {
      // Its look stays.
      const asking = client_id === undefined ? {} : { client_id }
      dropDraft('user-code')
      if (redirect_to) location.assign(redirect_to)
      if (request_id)
        return navigate(`/oauth/consent?${new URLSearchParams({ request_id, ...asking })}`, { replace: true })
    },
  }
}

function Begin({ query }: { readonly query: Record<string, string> }) {
  const { mutate, error, isPending } = useAct(useBeginning())
  const hasBegun = useRef(false)

  useEffect(() => {
    if (hasBegun.current) return
    hasBegun.current = true
    mutate(query)
  }, [mutate, query])

  if (!error) return <Preparing />
  if (isUnverified(error)) return <ToVerify />
  if (isRefusal(error)) return <Refused error={error} />
  return <Preparing failed={{ error, isFetching: isPending, refetch: () => mutate(query) }} />
}

/** True if the same request would be refused again. After a limit or a failure of the server it can succeed. */
const isRefusal = (error: Error) =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429

const isUnverified = (error: Error | null) => error instanceof ApiError && error.code === 'EMAIL_NOT_VERIFIED'

function AskForCode() {
  const texts = useTexts()
  const { authorize, common } = texts
  const form = useForm({
    schema: z.object({ user_code: fieldsOf(texts).required }),
    initial: { user_code: '' },
    draft: 'user-code',
    refusals: { NOT_FOUND: ['user_code', authorize.failures.NOT_FOUND] },
    ...useBeginning(),
  })
  if (isUnverified(form.error)) return <ToVerify />
  return (
    <Front title={authorize.title} lead={authorize.lead}>
      <Form form={form} words={authorize.failures} submit={common.continue}>
        <TextField
          {...form.field('user_code')}
          label={authorize.code}
          onChange={(typed) => form.set({ user_code: typed.toUpperCase() })}
          hint={authorize.codeHint}
          placeholder="XXXX-XXXX"
          mono
          autoComplete="off"
          maxLength={16}
        />
      </Form>
    </Front>
  )
}
