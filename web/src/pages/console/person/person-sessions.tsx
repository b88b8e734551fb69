import { useDevice, usePlace } from '../../../device.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { FactLine } from '../../../ui/facts/fact-line.tsx'
import { Since } from '../../../ui/facts/time.tsx'
import { Rows } from '../../../ui/lists/rows.tsx'
import { ending } from '../receipt.tsx'
import { type Person, refreshesOf } from './queries.ts'

/** The places where this user is signed in. */
export function PersonSessions({ user: { id, email, sessions } }: { readonly user: Person }) {
  const { people, person, access, settings } = useTexts()
  const device = useDevice()
  const place = usePlace()
  return (
    <Card
      title={settings.sessions}
      action={
        sessions.length > 0 && (
          <ConfirmedAct
            size="small"
            look="quiet"
            label={people.endSessions}
            asks="end-sessions"
            title={people.endSessionsTitle(email)}
            text={people.endSessionsText}
            act={() => ending({ kind: 'user', id }, call('/api/admin/revoke_user_sessions', { id }))}
            done={people.endedSessions}
            refreshes={refreshesOf(id)}
          />
        )
      }
    >
      <Rows items={sessions} none={person.sessionsNone} keyOf={(session) => session.id}>
        {(session) => (
          <>
            <p className="wrap-anywhere font-medium">{device(session.user_agent)}</p>
            <FactLine
              facts={[
                session.ip,
                place(session.place),
                <Since key="used" label={access.used} at={session.last_used_at} />,
                <Since key="started" label={person.started} at={session.created_at} />,
              ]}
            />
          </>
        )}
      </Rows>
    </Card>
  )
}
