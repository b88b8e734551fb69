import { shownNameOf } from '../own-name.ts'
import { useAct } from '../server/act.ts'
import { stopActing } from '../server/acting.ts'
import { useSignedIn } from '../server/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from '../ui/controls/button.tsx'
import { Failure } from '../ui/messages/failure.tsx'

/** Says that the administrator acts as the user, and stops it. */
export function ActingBanner() {
  const { nav } = useTexts()
  const { session, user } = useSignedIn()
  const stop = useAct({ act: () => stopActing(user.id) })
  return (
    <div
      role="status"
      className="sticky top-14 z-20 flex flex-wrap items-center justify-center gap-x-4 gap-y-1 border-warning/30 border-b bg-warning-soft px-4 py-2 text-small text-warning lg:top-0"
    >
      <p>
        {nav.actingAs(shownNameOf(user))} {session.isReadOnly ? nav.actingReads : nav.actingWrites}
      </p>
      <Button size="small" look="quiet" isPending={stop.isPending} onPress={() => stop.mutate()}>
        {nav.stopActing}
      </Button>
      <Failure error={stop.error} />
    </div>
  )
}
