import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
import * as z from 'zod/mini'
import { fieldsOf } from '../../../forms/fields.ts'
import { call } from '../../../server/api.ts'
import { useChoice } from '../../../server/choice.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Checkboxes } from '../../../ui/controls/checkboxes.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { FormAct } from '../../../ui/dialogs/form-act.tsx'
import { PersonText, SentenceWith } from '../../../ui/facts/person-text.tsx'
import { actColumn } from '../../../ui/lists/columns.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { Table } from '../../../ui/lists/table.tsx'
import { Failure } from '../../../ui/messages/failure.tsx'
import type { Member } from '../../organizations/members.tsx'
import { type Full, organizationsKey, teamsOfQuery } from './queries.ts'
import type { Standing } from './standing.ts'

type Team = Full['teams'][number]

interface Props {
  readonly organization: Full
  readonly standing: Standing
}

export function Teams({ organization: { id: organizationId, teams }, standing: { can } }: Props) {
  const { organizations, common } = useTexts()
  if (teams.length === 0 && !can('team:create')) return null
  const create = can('team:create') && (
    <NameTeam
      label={organizations.newTeam}
      draft={`team:${organizationId}`}
      act={(name) => call('/api/auth/organization/create-team', { name, organizationId })}
    />
  )
  return (
    <Card title={organizations.teams} lead={organizations.teamsLead} action={create}>
      {teams.length === 0 ? (
        <p className="text-ink-soft">{organizations.teamsNone}</p>
      ) : (
        <Table<Team>
          label={organizations.teams}
          rows={teams}
          rowKey={({ id }) => id}
          columns={[
            { key: 'team', title: organizations.team, cell: ({ name }) => <PersonText>{name}</PersonText> },
            actColumn(common.actions, 'w-52', (team) => (
              <span className="flex justify-end gap-2 max-sm:flex-col">
                {can('team:update') && (
                  <NameTeam
                    size="small"
                    label={organizations.renameTeam}
                    name={`${organizations.renameTeam}: ${team.name}`}
                    initial={team.name}
                    draft={`team:${team.id}`}
                    act={(name) =>
                      call('/api/auth/organization/update-team', { teamId: team.id, data: { name, organizationId } })
                    }
                  />
                )}
                {can('team:delete') && <RemoveTeam team={team} />}
              </span>
            )),
          ]}
        />
      )}
    </Card>
  )
}

interface NameProps extends Pick<ComponentProps<typeof Button>, 'size'> {
  readonly label: string
  readonly name?: string
  readonly initial?: string
  readonly draft: string
  act(name: string): Promise<unknown>
}

function NameTeam({ act, initial = '', ...question }: NameProps) {
  const texts = useTexts()
  const { organizations, common } = texts
  return (
    <FormAct
      look="quiet"
      {...question}
      title={question.label}
      text={organizations.teamText}
      action={question.label}
      schema={z.object({ name: fieldsOf(texts).required })}
      initial={{ name: initial }}
      invalid={{ name: organizations.nameProblem }}
      act={(sent) => act(sent.name)}
      done={common.saved}
      refreshes={[organizationsKey]}
    >
      {(form) => <TextField {...form.field('name')} label={organizations.name} maxLength={100} autoFocus />}
    </FormAct>
  )
}

function RemoveTeam({ team: { id: teamId, name, organizationId } }: { readonly team: Team }) {
  const { organizations } = useTexts()
  return (
    <ConfirmedAct
      size="small"
      label={organizations.remove}
      name={`${organizations.remove}: ${name}`}
      title={<SentenceWith sentence={organizations.removeTeamTitle} words={name} />}
      text={organizations.removeTeamText}
      act={() => call('/api/auth/organization/remove-team', { teamId, organizationId })}
      done={organizations.teamRemoved}
      refreshes={[organizationsKey]}
    />
  )
}

interface OfMember {
  readonly organizationId: string
  readonly teams: readonly Team[]
  readonly member: Member
}

/** The teams of one member: each tick counts at once. */
export function MemberTeams({ organizationId, teams, member }: OfMember) {
  const { organizations } = useTexts()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="small" aria-label={organizations.teamsOf(member.email)} onPress={() => setOpen(true)}>
        {organizations.teams}
      </Button>
      {isOpen && (
        <Dialog
          title={<SentenceWith sentence={organizations.teamsOf} words={member.email} />}
          onClose={() => setOpen(false)}
        >
          <TeamChoice {...{ organizationId, teams, member }} />
        </Dialog>
      )}
    </>
  )
}

function TeamChoice({ organizationId, teams, member: { userId } }: OfMember) {
  const { organizations } = useTexts()
  const query = teamsOfQuery(organizationId, userId)
  const held = useQuery({ ...query, select: (inTeams) => inTeams.map(({ id }) => id) })
  const { chosen, choose, error } = useChoice({
    act: async (next: readonly string[]): Promise<unknown> => {
      const before = held.data ?? []
      const teamId = [...before, ...next].find((id) => before.includes(id) !== next.includes(id)) ?? ''
      return next.includes(teamId)
        ? call('/api/auth/organization/add-team-member', { teamId, userId, organizationId })
        : call('/api/auth/organization/remove-team-member', { teamId, userId, organizationId })
    },
    refreshes: [query.queryKey],
  })
  return (
    <Loaded<readonly string[]> query={held}>
      {(value) => (
        <>
          <Checkboxes
            legend={organizations.teams}
            options={teams.map(({ id, name }) => [id, name] as const)}
            value={chosen ?? value}
            problem={undefined}
            onChange={choose}
          />
          <Failure error={error} />
        </>
      )}
    </Loaded>
  )
}
