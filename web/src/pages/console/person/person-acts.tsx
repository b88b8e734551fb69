import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigateNext } from '../../../routing/router.tsx'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { LoadFailure } from '../../../ui/lists/loaded.tsx'
import { consoleKeys, shardsQuery } from '../queries.ts'
import { ending } from '../receipt.tsx'
import { Suspension } from '../suspension.tsx'
import { ActAs } from './act-as.tsx'
import { type Person, refreshesOf } from './queries.ts'

/** The administrator's actions on a user. */
export function PersonActs({ user }: { readonly user: Person }) {
  const { person, common } = useTexts()
  const isAdministrator = user.role === 'administrator'
  return (
    <Card title={common.actions} lead={person.actsLead}>
      <div className="flex flex-wrap gap-2">
        {!isAdministrator && <ActAs user={user} />}
        <SimpleActs user={user} />
        <Move user={user} />
        {!isAdministrator && <Suspend user={user} />}
        {!isAdministrator && <Delete user={user} />}
      </div>
    </Card>
  )
}

function SimpleActs({ user: { id, email, email_verified, factors } }: { readonly user: Person }) {
  const { people, person } = useTexts()
  const refreshes = refreshesOf(id)
  return (
    <>
      <ConfirmedAct
        look="quiet"
        label={person.reset}
        asks="reset"
        title={person.resetTitle(email)}
        text={person.resetText}
        act={() => call('/api/admin/send_password_reset', { id })}
        done={person.resetSent}
        refreshes={refreshes}
      />
      {!email_verified && (
        <ConfirmedAct
          look="quiet"
          label={person.verify}
          asks="verify"
          title={person.verifyTitle(email)}
          text={person.verifyText}
          act={() => call('/api/admin/mark_verified', { id })}
          done={person.verifiedNow}
          refreshes={refreshes}
        />
      )}
      {factors !== '' && (
        <ConfirmedAct
          label={people.removeFactors}
          title={people.removeFactorsTitle(email)}
          text={people.removeFactorsText}
          act={() => call('/api/admin/remove_factors', { id })}
          done={people.removedFactors}
          refreshes={refreshes}
        />
      )}
    </>
  )
}

/** Offered if there is another shard that takes users. */
function Move({ user: { id, email, shard_id } }: { readonly user: Person }) {
  const { person } = useTexts()
  const shards = useQuery(shardsQuery)
  const others = shards.data?.items.filter((shard) => shard.id !== shard_id && shard.state === 'active') ?? []
  const [chosen, setChosen] = useState<string>()
  const to = others.find((shard) => shard.id === chosen)?.id ?? others[0]?.id
  if (shards.error) return <LoadFailure query={shards} />
  if (to === undefined) return null
  return (
    <ConfirmedAct
      look="quiet"
      label={person.move}
      title={person.moveTitle(email)}
      text={person.moveText}
      act={() => call('/api/admin/move_user', { id, shard_id: to })}
      done={person.moved}
      refreshes={[...refreshesOf(id), consoleKeys.shards]}
    >
      <Select
        label={person.moveTo}
        value={to}
        options={Object.fromEntries(others.map((shard) => [shard.id, `${shard.id} (${shard.region})`]))}
        onChange={setChosen}
      />
    </ConfirmedAct>
  )
}

function Suspend({ user: { id, email, suspended_at } }: { readonly user: Person }) {
  const { people, person } = useTexts()
  return (
    <Suspension
      id={id}
      isSuspended={suspended_at !== null}
      words={{ title: people.suspendTitle(email), text: people.suspendText, restore: person.restoreText }}
      refreshes={refreshesOf(id)}
      suspend={(reason) => ending({ kind: 'user', id }, call('/api/admin/suspend_user', { id, reason }))}
      restore={() => call('/api/admin/restore_user', { id })}
    />
  )
}

function Delete({ user: { id, email } }: { readonly user: Person }) {
  const { people } = useTexts()
  const navigate = useNavigateNext()
  return (
    <ConfirmedAct
      label={people.remove}
      asks="delete"
      title={people.removeTitle(email)}
      text={people.removeText}
      act={() => call('/api/admin/delete_user', { id })}
      done={people.removed}
      isForNextPage
      onDone={() => navigate('/console/users', { replace: true })}
      refreshes={[consoleKeys.users]}
    />
  )
}
