import { useQuery } from '@tanstack/react-query'
import { addPage, heldAccountsQuery, switchTo } from '../../server/accounts.ts'
import { useAct } from '../../server/act.ts'
import { ApiError, call } from '../../server/api.ts'
import { isActing, useSession } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../controls/button.tsx'
import { TextLink } from '../controls/text-link.tsx'
import { Failure } from '../messages/failure.tsx'
import { Dialog } from './dialog.tsx'

/** Another window has switched to another account; this page stays as it is until its user has decided. */
export function OtherAccount({ onEnd }: { onEnd(isBack: boolean): void }) {
  const { otherAccount: texts } = useTexts()
  const signedIn = useSession().data
  const { data: accounts, error } = useQuery(heldAccountsQuery)
  const back = useAct({ act: switchTo, onDone: () => onEnd(true) })
  const stop = useAct({ act: () => call('/api/auth/admin/stop-impersonating', {}), onDone: () => onEnd(true) })
  if (!signedIn) return null
  const shown = signedIn.user
  if (error instanceof ApiError && error.code === 'IMPERSONATION_REFUSED')
    return (
      <Dialog title={texts.actingTitle} onClose={() => onEnd(false)}>
        <p className="wrap-anywhere text-ink-soft">{texts.actingText(shown.email)}</p>
        <Failure error={stop.error} />
        <div className="flex flex-col gap-2">
          <Button look="primary" isPending={stop.isPending} onPress={() => stop.mutate()}>
            {texts.stop}
          </Button>
          <Button onPress={() => location.assign('/')}>{texts.goOnActing}</Button>
        </div>
      </Dialog>
    )
  const [active] = accounts ?? []
  const own = accounts?.find(({ user }) => user.id === shown.id)
  return (
    <Dialog title={texts.title} onClose={() => onEnd(false)}>
      <p className="wrap-anywhere text-ink-soft">{texts.text(active?.user.email ?? '', shown.email)}</p>
      <Failure error={error ?? back.error} />
      <div className="flex flex-col gap-2">
        {own && (
          <Button look="primary" isPending={back.isPending} onPress={() => back.mutate(own)}>
            {texts.back(shown.email)}
          </Button>
        )}
        {active && active !== own && <Button onPress={() => location.reload()}>{texts.goOn(active.user.email)}</Button>}
        {accounts && !own && !isActing(signedIn) && (
          <TextLink to={addPage(location.pathname + location.search, { email: shown.email })}>
            {texts.signIn(shown.email)}
          </TextLink>
        )}
      </div>
    </Dialog>
  )
}
