import { shownNameOf } from '../../own-name.ts'
import type { SignedIn } from '../../server/auth.ts'

export function AccountNames({ account: { user } }: { readonly account: Pick<SignedIn, 'user'> }) {
  return (
    <span className="min-w-0 grow leading-tight">
      <span dir="auto" className="block truncate text-left font-medium text-compact">
        {shownNameOf(user)}
      </span>
      <span className="block truncate text-tiny text-ink-soft">{user.email}</span>
    </span>
  )
}
