import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { dropDrafts } from '../../forms/draft.ts'
import { Front } from '../../layout/front.tsx'
import type { MailedLink } from '../../routing/mailed-link.ts'
import { Link, useNavigateNext } from '../../routing/router.tsx'
import { addPage } from '../../server/accounts.ts'
import { useAct } from '../../server/act.ts'
import { call, type Output } from '../../server/api.ts'
import { signOut } from '../../server/auth.ts'
import { useHasSeveral, useSession } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { wordOf } from '../../texts/word-of.ts'
import { say } from '../../toasts.ts'
import { Button, buttonClass } from '../../ui/controls/button.tsx'
import { Avatar } from '../../ui/facts/avatar.tsx'
import { SentenceWith } from '../../ui/facts/person-text.tsx'
import { Skeleton } from '../../ui/lists/skeleton.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
import { dropInvitation, keepInvitation } from './kept-invitation.ts'

type Shown = Output<'/api/auth/show-invitation'>

interface Props {
  readonly mailed: MailedLink
  readonly shown: Shown & { readonly organization: NonNullable<Shown['organization']> }
  /** How somebody without an account makes one. */
  readonly children?: ReactNode
}

/** An invitation to an organisation: who invites, as what, and the answer. */
export function Joining({ mailed, shown: { organization, inviter, role }, children }: Props) {
  const { invitation } = useTexts()
  const roles = role?.split(',').map((one) => wordOf(invitation.roles, one))
  const from = inviter && (inviter.name === inviter.email ? inviter.email : `${inviter.name} (${inviter.email})`)
  return (
    <Front
      title={<SentenceWith sentence={invitation.join} words={organization.name} />}
      tabTitle={invitation.join(organization.name)}
      above={
        <div className="mb-4">
          <Avatar name={organization.name} image={organization.logo} className="size-12 text-dialog" />
        </div>
      }
      lead={
        <>
          {from ? <SentenceWith sentence={invitation.invitedBy} words={from} /> : invitation.invited}{' '}
          {roles && <SentenceWith sentence={invitation.asRole} words={roles.join(', ')} />}
        </>
      }
    >
      {children ?? <Answer mailed={mailed} organization={organization} />}
    </Front>
  )
}

function Answer({ mailed, organization }: Pick<Props, 'mailed'> & Pick<Props['shown'], 'organization'>) {
  const { invitation } = useTexts()
  const { data: signedIn, isPending } = useSession()
  const { accept, reject } = useAnswers(mailed, organization)
  if (isPending) return <Skeleton rows={1} />
  if (signedIn?.user.email !== mailed.email) return <AnotherAccount mailed={mailed} />
  return (
    <>
      <Failure error={accept.error ?? reject.error} />
      <Button look="primary" isPending={accept.isPending} onPress={() => accept.mutate()}>
        {invitation.accept}
      </Button>
      <Button isPending={reject.isPending} onPress={() => reject.mutate()}>
        {invitation.reject}
      </Button>
    </>
  )
}

function useAnswers({ link }: MailedLink, { id, name }: Props['shown']['organization']) {
  const { invitation } = useTexts()
  const navigate = useNavigateNext()
  const queryClient = useQueryClient()
  const invitationId = link
  const answered = (words: string, to: string) => async () => {
    dropInvitation()
    // The session acts in another organisation now.
    await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'invitation' })
    say(words, { isForNextPage: true })
    navigate(to, { replace: true })
  }
  return {
    accept: useAct({
      act: () => call('/api/auth/organization/accept-invitation', { invitationId }),
      onDone: answered(invitation.joined(name), `/settings/organizations/${id}`),
    }),
    reject: useAct({
      act: () => call('/api/auth/organization/reject-invitation', { invitationId }),
      onDone: answered(invitation.rejected, '/'),
    }),
  }
}

/** Nobody is signed in, or somebody else. */
function AnotherAccount({ mailed }: { readonly mailed: MailedLink }) {
  const { invitation } = useTexts()
  const { data: signedIn } = useSession()
  const hasSeveral = useHasSeveral()
  const leave = useAct({
    act: signOut,
    // A full page load leaves nothing of the former user in memory.
    onDone: () => {
      dropDrafts()
      keepInvitation(mailed)
      location.reload()
    },
  })
  const { email } = mailed
  const way = { email, next: '/invitation' }
  const signIn = signedIn ? addPage('/invitation', { email }) : `/sign-in?${new URLSearchParams(way)}`
  return (
    <>
      <p className="wrap-anywhere text-ink-soft">
        {signedIn ? invitation.otherAccount(signedIn.user.email, email) : invitation.signInLead(email)}
      </p>
      <Failure error={leave.error} />
      {signedIn && !hasSeveral ? (
        <Button look="primary" isPending={leave.isPending} onPress={() => leave.mutate()}>
          {invitation.change}
        </Button>
      ) : (
        <Link to={signIn} onClick={() => keepInvitation(mailed)} className={buttonClass({ look: 'primary' })}>
          {signedIn ? invitation.change : invitation.signIn}
        </Link>
      )}
    </>
  )
}
