import { useQuery } from '@tanstack/react-query'
import { Front } from '../../layout/front.tsx'
import { addPage, heldAccountsQuery, useSwitch } from '../../server/accounts.ts'
import { useTexts } from '../../texts/texts.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { SentenceWith } from '../../ui/facts/person-text.tsx'
import { AccountList } from '../../ui/lists/account-list.tsx'
import { LoadFailure } from '../../ui/lists/loaded.tsx'
import { Skeleton } from '../../ui/lists/skeleton.tsx'
import { useAskingClient } from './asking-client.ts'

/** True if the request asks which account it is for, or for another one than the active. */
export function wantsChoice(query: URLSearchParams, active: string): boolean {
  const hint = query.get('login_hint')?.toLowerCase()
  return promptsOf(query).includes('select_account') || (hint !== undefined && hint !== '' && hint !== active)
}

const promptsOf = (query: URLSearchParams) => query.get('prompt')?.split(' ') ?? []

/** The same request once the account has been chosen. */
function withoutChoice(query: URLSearchParams): string {
  const chosen = new URLSearchParams(query)
  chosen.delete('login_hint')
  const prompts = promptsOf(query).filter((prompt) => prompt !== 'select_account')
  if (prompts.length > 0) chosen.set('prompt', prompts.join(' '))
  else chosen.delete('prompt')
  return `/oauth/authorize?${chosen}`
}

/** Every choice opens the request anew, so that it is the chosen account's from its beginning. */
export function ChooseAccount({ query }: { readonly query: URLSearchParams }) {
  const { signIn } = useTexts()
  const accounts = useQuery(heldAccountsQuery)
  const next = withoutChoice(query)
  const client = useAskingClient(next)
  const change = useSwitch(next)
  const hint = query.get('login_hint')
  return (
    <Front title={signIn.chooseTitle} lead={client && <SentenceWith sentence={signIn.lead} words={client} />}>
      {accounts.data ? (
        <AccountList
          accounts={accounts.data}
          label={signIn.held}
          pending={change.isPending ? change.variables : undefined}
          onChoose={change.mutate}
        />
      ) : accounts.error ? (
        <LoadFailure query={accounts} />
      ) : (
        <Skeleton />
      )}
      <p>
        <TextLink to={addPage(next, hint ? { email: hint } : {})}>{signIn.another}</TextLink>
      </p>
    </Front>
  )
}
