import { shownNameOf } from '../own-name.ts'
import { useSignedIn } from '../server/session.ts'
import { useSignOut } from '../server/sign-out.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from '../ui/controls/button.tsx'
import { LanguageSelect } from '../ui/controls/language-select.tsx'
import { ThemeSelect } from '../ui/controls/theme-select.tsx'
import { Avatar } from '../ui/facts/avatar.tsx'
import { Icon } from '../ui/icon.tsx'

/** The signed-in user, and a button to sign out. */
export function AccountBlock() {
  const { nav } = useTexts()
  const { user } = useSignedIn()
  const signOut = useSignOut('/sign-in')
  return (
    <div className="shrink-0 border-line border-t p-3">
      <div className="flex items-center gap-3 px-2 py-1.5">
        <Avatar name={user.name || user.email} image={user.image} />
        <div className="min-w-0 grow leading-tight">
          <p dir="auto" className="truncate text-left font-medium text-compact">
            {shownNameOf(user)}
          </p>
          <p className="truncate text-tiny text-ink-soft">{user.email}</p>
        </div>
      </div>
      <div className="mt-1.5 flex flex-wrap items-center">
        <LanguageSelect />
        <ThemeSelect />
        <Button look="plain" size="small" isPending={signOut.isPending} onPress={() => signOut.mutate()}>
          <Icon name="sign-out" className="size-4" /> {nav.signOut}
        </Button>
      </div>
    </div>
  )
}
