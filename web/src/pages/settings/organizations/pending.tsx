import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { ActButton } from '../../../ui/controls/act-button.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { PersonText, SentenceWith } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import { actColumn } from '../../../ui/lists/columns.tsx'
import { Table } from '../../../ui/lists/table.tsx'
import { useRoleNames } from '../../organizations/roles.tsx'
import { type Full, organizationsKey } from './queries.ts'

type Invitation = Full['invitations'][number]

interface Props {
  readonly organization: Full
  readonly canCancel: boolean
}

/** Invitations that nobody has answered. Those who could not send them see none. */
export function Pending({ organization: { invitations }, canCancel }: Props) {
  const { organizations, common } = useTexts()
  const namesOf = useRoleNames()
  const pending = invitations.filter(({ status }) => status === 'pending')
  if (pending.length === 0) return null
  return (
    <Card title={organizations.pending}>
      <Table<Invitation>
        label={organizations.pending}
        rows={pending}
        rowKey={({ id }) => id}
        columns={[
          { key: 'email', title: common.email, cell: ({ email }) => <PersonText>{email}</PersonText> },
          {
            key: 'roles',
            title: organizations.roles,
            width: 'w-36',
            isPlain: true,
            cell: ({ role }) => <PersonText>{namesOf(role.split(','))}</PersonText>,
          },
          {
            key: 'expires',
            title: organizations.expires,
            width: 'w-32',
            leaves: 2,
            cell: ({ expiresAt }) =>
              Date.parse(expiresAt) < Date.now() ? (
                <Badge look="warning">{organizations.expired}</Badge>
              ) : (
                <Time at={Date.parse(expiresAt)} />
              ),
          },
          actColumn(common.actions, 'w-72', (invitation) => (
            <span className="flex justify-end gap-2 max-sm:flex-col">
              <Resend invitation={invitation} />
              {canCancel && <Cancel invitation={invitation} />}
            </span>
          )),
        ]}
      />
    </Card>
  )
}

function Resend({ invitation: { email, role, organizationId } }: { readonly invitation: Invitation }) {
  const { organizations } = useTexts()
  return (
    <ActButton
      size="small"
      label={organizations.resend}
      name={`${organizations.resend}: ${email}`}
      act={() => call('/api/auth/organization/invite-member', { email, role, organizationId, resend: true })}
      done={organizations.sent(email)}
      refreshes={[organizationsKey]}
    />
  )
}

function Cancel({ invitation: { id: invitationId, email } }: { readonly invitation: Invitation }) {
  const { organizations } = useTexts()
  return (
    <ConfirmedAct
      size="small"
      label={organizations.cancelInvitation}
      name={`${organizations.cancelInvitation}: ${email}`}
      title={<SentenceWith sentence={organizations.cancelTitle} words={email} />}
      text={organizations.cancelText}
      act={() => call('/api/auth/organization/cancel-invitation', { invitationId })}
      done={organizations.canceled}
      refreshes={[organizationsKey]}
    />
  )
}
