import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { CopyButton } from '../../../ui/controls/copy-button.tsx'
import { Facts } from '../../../ui/facts/facts.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import { useFactWords } from '../audit/fact-words.ts'
import { Factors } from '../users/user-state.tsx'
import type { Person } from './queries.ts'

export function PersonFacts({ user }: { readonly user: Person }) {
  const { people, person, profile, shards, beta } = useTexts()
  return (
    <Card title={person.account}>
      <Facts
        facts={[
          user.suspended_at !== null && [person.suspendedSince, <Time key="suspended" at={user.suspended_at} />],
          user.suspended_at !== null && [
            person.reason,
            <PersonText key="reason">{user.suspension_reason ?? ''}</PersonText>,
          ],
          [person.verified, user.email_verified ? profile.confirmed : profile.unconfirmed],
          [people.accounts, useWays(user)],
          [person.factors, <Factors key="factors" of={user} />],
          [people.since, <Time key="since" at={user.created_at} />],
          user.registration_utm_source !== null && [
            people.source,
            <PersonText key="source">{user.registration_utm_source}</PersonText>,
          ],
          user.beta_code !== null && [beta.code, <code key="beta">{user.beta_code.code}</code>],
          [people.affCode, <code key="code">{user.aff_code}</code>],
          [shards.shard, user.shard_id ?? people.none],
          [
            people.id,
            <span key="id" className="flex flex-wrap items-center gap-2">
              <code>{user.id}</code> <CopyButton text={user.id} label={person.copyId} />
            </span>,
          ],
        ]}
      />
    </Card>
  )
}

function useWays({ accounts: held }: Person): string {
  const { people, accounts } = useTexts()
  const wordsOf = useFactWords()
  const ways = held.map(({ provider }) =>
    provider === 'credential' ? accounts.credential : wordsOf('provider', provider),
  )
  return ways.join(', ') || people.none
}
