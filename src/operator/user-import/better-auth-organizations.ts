import { z } from 'zod'
import { newSlug } from '../../features/people/organizations/creation.ts'
import type { IncomingMember, IncomingOrganization } from '../../features/people/organizations/importing.ts'
import { GroupName, Logo, Slug } from '../../features/people/organizations/input.ts'
import { isReserved } from '../../features/people/organizations/slugs.ts'
import { JsonObject } from '../../rules/json-object.ts'
import { Permissions, ROLES_OF_A_MEMBER, RoleName } from '../../rules/permissions.ts'
import { isSavable } from '../../rules/product-data.ts'
import { ForeignId, Time } from './fields.ts'
import type { Found } from './organizations.ts'

/** What its `organization` plugin keeps. Teams and roles made at run time have tables only where they are used. */
export interface Theirs {
  has(table: string): boolean
  rows(sql: string, ...values: readonly string[]): Iterable<Readonly<Record<string, unknown>>>
}

const Organization = z.object({
  id: ForeignId,
  name: GroupName,
  slug: z.string().nullish(),
  logo: Logo.catch(null),
  createdAt: Time,
  metadata: z.string().nullish(),
})

const Member = z.object({
  organizationId: ForeignId,
  userId: ForeignId,
  role: z
    .string()
    .transform((roles) => [...new Set(roles.split(',').map((role) => role.trim()))].filter(Boolean))
    .pipe(z.array(RoleName).min(1).max(ROLES_OF_A_MEMBER)),
  createdAt: Time,
})

const MOST_ROLES = 20
const Role = z.object({ role: RoleName, permission: z.string() })
const Team = z.object({ id: ForeignId, name: GroupName })

export function* organizationsOf(theirs: Theirs): Generator<Found<IncomingOrganization>> {
  if (!theirs.has('organization')) return
  let line = 0
  for (const row of theirs.rows('select * from organization order by id')) {
    const who = `organisation ${++line}`
    const { data, error } = Organization.safeParse(row)
    if (error) yield { who, line, why: malformed(error) }
    else {
      const { id, name, logo, createdAt } = data
      const slug = slugOf(data)
      const facts = { roles: rolesOf(theirs, id), teams: teamsOf(theirs, id), own: dataIn(data.metadata) }
      yield { who: `${who} (${slug})`, line, incoming: { id, name, slug, logo, createdAt, ...facts } }
    }
  }
}

/** A slug that is not allowed here is replaced by one that is made of the name. */
function slugOf({ name, slug }: z.output<typeof Organization>): string {
  const { data: theirs } = Slug.safeParse(slug?.toLowerCase())
  return theirs === undefined || isReserved(theirs, '') ? newSlug(name) : theirs
}

function rolesOf(theirs: Theirs, id: string): IncomingOrganization['roles'] {
  if (!theirs.has('organizationRole')) return []
  const rows = [...theirs.rows('select * from "organizationRole" where "organizationId" = ? order by "createdAt"', id)]
  const roles = rows.flatMap((row) => {
    const { data } = Role.safeParse(row)
    const permissions = Permissions.safeParse(parsed(data?.permission)).data
    return data && permissions ? [{ role: data.role, permissions }] : []
  })
  return [...new Map(roles.map((role) => [role.role, role])).values()].slice(0, MOST_ROLES)
}

function teamsOf(theirs: Theirs, id: string): IncomingOrganization['teams'] {
  if (!theirs.has('team')) return []
  const rows = [...theirs.rows('select * from team where "organizationId" = ? order by "createdAt"', id)]
  return rows.flatMap((row) => Team.safeParse(row).data ?? [])
}

/** Left out if it is no object, or too large to be saved. */
function dataIn(metadata: string | null | undefined): JsonObject | undefined {
  const { data: own } = JsonObject.safeParse(parsed(metadata ?? undefined))
  return own && isSavable({ own }, 'replaced') ? own : undefined
}

function parsed(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? '')
  } catch {
    return undefined
  }
}

export function* membersOf(theirs: Theirs): Generator<Found<IncomingMember>> {
  if (!theirs.has('member')) return
  let line = 0
  for (const row of theirs.rows('select * from member order by id')) {
    const who = `member ${++line}`
    const { data, error } = Member.safeParse(row)
    if (error) yield { who, line, why: malformed(error) }
    else {
      const { organizationId, userId, role: roles, createdAt } = data
      const teamIds = teamIdsOf(theirs, organizationId, userId)
      yield { who: `${who} (${userId})`, line, incoming: { organizationId, userId, roles, createdAt, teamIds } }
    }
  }
}

function teamIdsOf(theirs: Theirs, organizationId: string, userId: string): readonly string[] {
  if (!theirs.has('teamMember') || !theirs.has('team')) return []
  const sql = `select team.id from team join "teamMember" on "teamMember"."teamId" = team.id
    where team."organizationId" = ? and "teamMember"."userId" = ? order by team.id`
  return [...theirs.rows(sql, organizationId, userId)].map(({ id }) => String(id))
}

function malformed({ issues }: z.ZodError): string {
  return `its ${[...new Set(issues.map(({ path }) => path.join('.')))].join(', ')} is malformed`
}
