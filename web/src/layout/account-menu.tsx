import { useQuery } from '@tanstack/react-query'
import { Link } from '../routing/router.tsx'
import { addPage, heldAccountsQuery, useLeave, useSwitch } from '../server/accounts.ts'
import { useSignedIn } from '../server/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button, buttonClass } from '../ui/controls/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { AccountList } from '../ui/lists/account-list.tsx'
import { LoadFailure } from '../ui/lists/loaded.tsx'

/** The other accounts of this browser: to switch to one, to add one, and to leave the active one. */
export function AccountMenu() {
  const { nav } = useTexts()
  const { user } = useSignedIn()
  const accounts = useQuery(heldAccountsQuery)
  const change = useSwitch('/')
  const leave = useLeave()
  if (!accounts.data) return accounts.error ? <LoadFailure query={accounts} /> : null
  const own = accounts.data.find((each) => each.user.id === user.id)
  const others = accounts.data.filter((each) => each !== own)
  return (
    <div className="mb-2 flex flex-col gap-1 border-line border-b pb-2">
      {others.length > 0 && (
        <AccountList
          accounts={others}
          label={nav.otherAccounts}
          pending={change.isPending ? change.variables : undefined}
          onChoose={change.mutate}
        />
      )}
      <Link to={addPage('/')} className={buttonClass({ look: 'plain', size: 'small' }, 'justify-start')}>
        <Icon name="plus" className="size-4" /> {nav.addAccount}
      </Link>
      {own && others.length > 0 && (
        <Button
          look="plain"
          size="small"
          className="justify-start"
          isPending={leave.isPending}
          onPress={() => leave.mutate(own)}
        >
          <Icon name="sign-out" className="size-4" /> {nav.leaveAccount}
        </Button>
      )}
    </div>
  )
}
