import { skipToken, useQuery } from '@tanstack/react-query'
import { heldAccountsQuery, useSwitch } from '../../server/accounts.ts'
import { useHasSeveral } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { AccountList } from '../../ui/lists/account-list.tsx'

/** The accounts that this browser still holds after the active one was signed out elsewhere. */
export function HeldAccounts({ next }: { readonly next: string }) {
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
