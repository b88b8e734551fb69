import type { SignedIn } from '../../server/auth.ts'
import { AccountNames } from '../facts/account-names.tsx'
import { Avatar } from '../facts/avatar.tsx'

interface Props {
  readonly accounts: readonly SignedIn[]
  readonly label: string
  /** The account whose choice is under way. */
  readonly pending?: SignedIn | undefined
  onChoose(account: SignedIn): void
}

export function AccountList({ accounts, label, pending, onChoose }: Props) {
  return (
    <ul aria-label={label} className="flex flex-col gap-1">
      {accounts.map((account) => (
        <li key={account.session.id}>
          <button
            type="button"
            aria-busy={account === pending || undefined}
            onClick={() => onChoose(account)}
            className="touch flex w-full items-center gap-3 rounded-md px-2 py-1.5 text-left transition-colors hover:bg-sunken aria-busy:opacity-60"
          >
            <Avatar name={account.user.name || account.user.email} image={account.user.image} />
            <AccountNames account={account} />
          </button>
        </li>
      ))}
    </ul>
  )
}
