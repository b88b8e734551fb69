import { call, type Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { consoleKeys, userQuery } from '../queries.ts'
import { Suspension } from './suspension.tsx'

interface Props {
  readonly user: Output<'/api/admin/get_user'>
  onDeleted(): void
}

export function UserActions({ user, onDeleted }: Props) {
  const { people } = useTexts()
  const { id, email, role, sessions } = user
  return (
    <footer className="flex flex-wrap gap-2 border-line border-t pt-4">
      <ConfirmedAct
        look="quiet"
        label={people.endSessions}
        title={people.endSessionsTitle(email)}
        text={people.endSessionsText}
        action={people.endSessions}
        isDisabled={sessions.length === 0}
        act={() => call('/api/admin/revoke_user_sessions', { id })}
        done={people.endedSessions}
        refreshes={[userQuery(id).queryKey]}
      />
      {user.factors !== '' && (
        <ConfirmedAct
          label={people.removeFactors}
          title={people.removeFactorsTitle(email)}
          text={people.removeFactorsText}
          action={people.removeFactors}
          act={() => call('/api/admin/remove_factors', { id })}
          done={people.removedFactors}
          refreshes={[userQuery(id).queryKey]}
        />
      )}
      {role !== 'administrator' && <Suspension user={user} />}
      {role !== 'administrator' && (
        <ConfirmedAct
          label={people.remove}
          title={people.removeTitle(email)}
          text={people.removeText}
          action={people.remove}
          act={() => call('/api/admin/delete_user', { id })}
          done={people.removed}
          onDone={onDeleted}
          refreshes={[consoleKeys.users]}
        />
      )}
    </footer>
  )
}
