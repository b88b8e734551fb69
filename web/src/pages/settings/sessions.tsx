import { useQuery } from '@tanstack/react-query'
import { useDevice, usePlace } from '../../device.ts'
import { useAct } from '../../server/act.ts'
import { call } from '../../server/api.ts'
import type { ListedSession } from '../../server/auth.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { ConfirmedAct } from '../../ui/dialogs/confirmed-act.tsx'
import { Badge } from '../../ui/facts/badge.tsx'
import { FactLine } from '../../ui/facts/fact-line.tsx'
import { Ago } from '../../ui/facts/time.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/lists/loaded.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
import { sessionsQuery } from './queries.ts'

export function Sessions() {
  const { sessions: texts, settings } = useTexts()
  const sessions = useQuery(sessionsQuery)
  return (
    <Card title={settings.sessions} lead={texts.lead} action={<EndOthers isIdle={(sessions.data?.length ?? 0) < 2} />}>
      <Loaded query={sessions}>
        {(listed) => (
          <>
            <ul className="-my-3 divide-y divide-line">
              {listed
                .toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent))
                .map((session) => (
                  <SessionRow key={session.id} session={session} />
                ))}
            </ul>
            {listed.length === 1 && <p className="mt-3 border-line border-t pt-4 text-ink-soft">{texts.onlyThis}</p>}
          </>
        )}
      </Loaded>
    </Card>
  )
}

function SessionRow({ session }: { readonly session: ListedSession }) {
  const { nav, sessions: texts } = useTexts()
  const ownDevice = useDevice()(session.userAgent)
  const device = session.impersonatedBy === null ? ownDevice : texts.actedNow
  const place = usePlace()
  const end = useAct({
    act: () => call('/api/auth/revoke-session', { token: session.token }),
    done: texts.ended,
    refreshes: [sessionsQuery.queryKey],
  })
  const facts = [
    <Ago key="created" at={session.createdAt} words={texts.created} />,
    <Ago key="used" at={session.lastUsedAt} words={texts.lastUsed} />,
    place(session.place),
    session.ipAddress,
  ]
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-4">
      <span className="grid size-9 place-items-center rounded-md border border-line bg-raised text-ink-soft">
        <Icon name="device" />
      </span>
      <div className="min-w-40 grow basis-52">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {device} {session.isCurrent && <Badge look="accent">{texts.current}</Badge>}
        </p>
        <FactLine facts={facts} />
        <Failure error={end.error} />
      </div>
      {!session.isCurrent && (
        <Button
          size="small"
          look="warn"
          className="max-sm:ml-13"
          aria-label={texts.endNamed(device)}
          isPending={end.isPending}
          onPress={() => end.mutate()}
        >
          {nav.signOut}
        </Button>
      )}
    </li>
  )
}

function EndOthers({ isIdle }: { readonly isIdle: boolean }) {
  const { sessions: texts } = useTexts()
  return (
    <ConfirmedAct
      size="small"
      label={texts.endOthers}
      title={texts.confirmTitle}
      text={texts.confirmText}
      isDisabled={isIdle}
      act={() => call('/api/auth/revoke-other-sessions', {})}
      done={texts.othersEnded}
      refreshes={[sessionsQuery.queryKey]}
    />
  )
}
