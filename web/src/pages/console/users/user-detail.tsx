import { useQuery } from '@tanstack/react-query'
import { useDevice } from '../../../device.ts'
import { ownNameOf } from '../../../own-name.ts'
import type { Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { Facts } from '../../../ui/facts/facts.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { Skeleton } from '../../../ui/lists/skeleton.tsx'
import { userQuery } from '../queries.ts'
import { UserActions } from './user-actions.tsx'

type User = Output<'/api/admin/get_user'>

interface Props {
  readonly id: string
  onClose(): void
}

/** One person's page of facts, and what can be done about them. */
export function UserDetail({ id, onClose }: Props) {
  const { people } = useTexts()
  const user = useQuery(userQuery(id))
  return (
    <Dialog title={<bdi>{user.data?.email ?? people.title}</bdi>} isOpen width="wide" onClose={onClose}>
      <Loaded query={user} skeleton={<Skeleton rows={5} />}>
        {(facts) => (
          <>
            <UserFacts user={facts} />
            <UserActions user={facts} onDeleted={onClose} />
          </>
        )}
      </Loaded>
    </Dialog>
  )
}

function UserFacts({ user }: { readonly user: User }) {
  const { people, accounts, inbox } = useTexts()
  return (
    <Facts
      facts={[
        [people.name, <PersonText key="name">{ownNameOf(user) || people.none}</PersonText>],
        [people.id, <code key="id">{user.id}</code>],
        [people.since, <Time key="since" at={user.created_at} />],
        [people.source, <PersonText key="source">{user.registration_utm_source ?? people.none}</PersonText>],
        [people.affCode, <code key="code">{user.aff_code}</code>],
        [people.shard, user.shard_id ?? people.none],
        [people.balance, user.balance.toLocaleString()],
        [
          inbox.title,
          <TextLink key="feedback" to={`/console/feedback?user_id=${user.id}`}>
            {user.feedbacks}
          </TextLink>,
        ],
        [
          people.accounts,
          user.accounts
            .map(({ provider }) => (provider === 'credential' ? accounts.credential : provider))
            .join(', ') || people.none,
        ],
        [people.sessions, <SessionLines key="sessions" sessions={user.sessions} />],
        [people.grants, <GrantLines key="grants" grants={user.grants} />],
      ]}
    />
  )
}

function SessionLines({ sessions }: { readonly sessions: User['sessions'] }) {
  const { people } = useTexts()
  const device = useDevice()
  if (sessions.length === 0) return people.none
  return (
    <ul>
      {sessions.map(({ id, user_agent, ip, last_used_at }) => (
        <li key={id}>
          {[device(user_agent), ip].filter(Boolean).join(', ')}, <Time at={last_used_at} />
        </li>
      ))}
    </ul>
  )
}

function GrantLines({ grants }: { readonly grants: User['grants'] }) {
  const { people, scopes: known } = useTexts()
  const words: Record<string, string> = known
  const living = grants.filter(({ revoked_at }) => revoked_at === null)
  if (living.length === 0) return people.none
  return (
    <ul>
      {living.map(({ id, client_name, scopes }) => (
        <li key={id}>
          {client_name}:{' '}
          <span className="text-ink-soft">{scopes.map((scope) => words[scope] ?? scope).join(', ')}</span>
        </li>
      ))}
    </ul>
  )
}
