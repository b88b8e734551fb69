import { shownNameOf } from '../own-name.ts'
import { stopActing } from '../server/acting.ts'
import { useSignedIn } from '../server/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { ActButton } from '../ui/controls/act-button.tsx'

/** Says that the administrator acts as the user, and stops it. */
export function ActingBanner() {
  const { nav } = useTexts()
  const { session, user } = useSignedIn()
  return (
    <div
      role="status"
      className="sticky top-14 z-20 flex flex-wrap items-center justify-center gap-x-4 gap-y-1 border-warning/30 border-b bg-warning-soft px-4 py-2 text-small text-warning lg:top-0"
    >
      <p>
        {nav.actingAs(shownNameOf(user))} {session.isReadOnly ? nav.actingReads : nav.actingWrites}
      </p>
      <ActButton size="small" label={nav.stopActing} act={() => stopActing(user.id)} />
    </div>
  )
}
