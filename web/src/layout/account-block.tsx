import { Suspense, useState } from 'react'
import { isActing, useHasSeveral, useSignedIn } from '../server/session.ts'
import { useSignOut } from '../server/sign-out.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from '../ui/controls/button.tsx'
import { LanguageSelect } from '../ui/controls/language-select.tsx'
import { ThemeSelect } from '../ui/controls/theme-select.tsx'
import { AccountNames } from '../ui/facts/account-names.tsx'
import { Avatar } from '../ui/facts/avatar.tsx'
import { Icon } from '../ui/icon.tsx'
import { latePart } from '../ui/late.tsx'

const { Part: AccountMenu } = latePart(async () => (await import('./account-menu.tsx')).AccountMenu)

/** The signed-in user, and a button to sign out. */
export function AccountBlock() {
  const { nav } = useTexts()
  const signedIn = useSignedIn()
  const { user } = signedIn
  const acts = isActing(signedIn)
  const hasSeveral = useHasSeveral() && !acts
  const [isOpen, setOpen] = useState(false)
  const signOut = useSignOut('/sign-in')
  const who = (
    <>
      <Avatar name={user.name || user.email} image={user.image} />
      <AccountNames account={signedIn} />
    </>
  )
  return (
    <div className="shrink-0 border-line border-t p-3">
      {isOpen && (
        <Suspense>
          <AccountMenu />
        </Suspense>
      )}
      {hasSeveral ? (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="touch flex w-full items-center gap-3 rounded-md px-2 py-1.5 text-left transition-colors hover:bg-sunken"
        >
          {who}
          <span className="sr-only">{nav.accounts}</span>
          <Icon name="chevron-down" className={`size-4 text-ink-soft ${isOpen ? '' : 'rotate-180'}`} />
        </button>
      ) : (
        <div className="flex items-center gap-3 px-2 py-1.5">{who}</div>
      )}
      <div className="mt-1.5 flex flex-wrap items-center">
        <LanguageSelect />
        <ThemeSelect />
        <Button look="plain" size="small" isPending={signOut.isPending} onPress={() => signOut.mutate()}>
          <Icon name="sign-out" className="size-4" /> {isOpen || acts ? nav.signOutAll : nav.signOut}
        </Button>
      </div>
    </div>
  )
}
