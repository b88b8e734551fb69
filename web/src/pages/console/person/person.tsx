import { useQuery } from '@tanstack/react-query'
import { ownNameOf } from '../../../own-name.ts'
import { useLocation } from '../../../routing/router.tsx'
import { may } from '../../../scope-tiers.ts'
import { useSignedIn } from '../../../server/session.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { FormAct } from '../../../ui/dialogs/form-act.tsx'
import { Avatar } from '../../../ui/facts/avatar.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { comeBack } from '../../../ui/lists/opened-row.ts'
import { areSettled } from '../../../ui/lists/settled.ts'
import { Skeleton } from '../../../ui/lists/skeleton.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { Page } from '../../../ui/page.tsx'
import { idIn } from '../id-in.ts'
import { ProductData } from '../product-data.tsx'
import { consoleKeys, shardsQuery, userQuery } from '../queries.ts'
import { lastSearch } from '../users/last-search.ts'
import { UserState } from '../users/user-state.tsx'
import { emptyMessage, MessageFields, useMessageSchema, writeTo } from '../users/write.tsx'
import { PersonActs } from './person-acts.tsx'
import { PersonCredits } from './person-credits.tsx'
import { PersonFacts } from './person-facts.tsx'
import { PersonFeedback } from './person-feedback.tsx'
import { PersonSessions } from './person-sessions.tsx'
import { PersonTools } from './person-tools.tsx'
import {
  latestCreditsQuery,
  latestFeedbackQuery,
  type Person,
  refreshesOf,
  timeLineQuery,
  timeLineStep,
} from './queries.ts'
import { TimeLine } from './time-line.tsx'

/** Everything about one user, and what can be done for them. */
export function ConsolePerson() {
  const { people, person } = useTexts()
  const id = idIn(useLocation().pathname)
  const query = useQuery(userQuery(id))
  const isSettled = areSettled([
    useQuery(latestCreditsQuery(id)),
    useQuery(latestFeedbackQuery(id)),
    useQuery(timeLineQuery(id, timeLineStep)),
    useQuery(shardsQuery),
  ])
  const search = lastSearch()
  const user = query.data
  const title = user?.email ?? people.title
  return (
    <Page
      title={
        <span className="flex items-center gap-4">
          {user && <Avatar name={ownNameOf(user) || user.email} image={user.image} className="size-12 text-dialog" />}
          <bdi>{title}</bdi>
        </span>
      }
      tabTitle={title}
      lead={
        <span className="flex flex-wrap items-center gap-x-4 gap-y-2">
          {user && ownNameOf(user) && (
            <bdi className="wrap-anywhere min-w-0 font-medium text-ink">{ownNameOf(user)}</bdi>
          )}
          {user && <UserState of={user} />}
          <TextLink to={`/console/users${search}`} onClick={comeBack}>
            {search ? person.backToSearch : person.back}
          </TextLink>
        </span>
      }
      actions={user && <Write user={user} />}
    >
      <Loaded query={query} skeleton={<Skeleton rows={5} />}>
        {(found) => (isSettled ? <Everything key={found.id} user={found} /> : <Skeleton rows={5} />)}
      </Loaded>
    </Page>
  )
}

function Write({ user: { id, email } }: { readonly user: Person }) {
  const { person } = useTexts()
  return (
    <FormAct
      look="primary"
      label={person.write}
      asks="write"
      title={person.writeTitle(email)}
      text={person.writeText}
      action={person.send}
      schema={useMessageSchema()}
      initial={emptyMessage}
      draft={`write:${id}`}
      act={(message) => writeTo(id, message)}
      done={person.written}
      refreshes={[...refreshesOf(id), consoleKeys.notifications]}
    >
      {(form) => <MessageFields form={form} />}
    </FormAct>
  )
}

function Everything({ user }: { readonly user: Person }) {
  const { person } = useTexts()
  const { user: reader } = useSignedIn()
  return (
    <>
      {user.balance === null && (
        <Notice look="warning" title={person.shardDownTitle(user.shard_id ?? '')}>
          {person.shardDownText}
        </Notice>
      )}
      <div className="grid items-start gap-6 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-6">
          <PersonFacts user={user} />
          <PersonActs user={user} />
          <PersonSessions user={user} />
          <PersonTools user={user} />
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <PersonCredits user={user} />
          <PersonFeedback user={user} />
          <TimeLine user={user} />
        </div>
      </div>
      {may(reader, 'admin:data:read') && <ProductData of="user" id={user.id} refreshes={refreshesOf(user.id)} />}
    </>
  )
}
