import { z } from 'zod'
import type { IncomingMember, IncomingOrganization } from '../../features/people/organizations/importing.ts'
import { GroupName, Slug } from '../../features/people/organizations/input.ts'
import { ROLES_OF_A_MEMBER, RoleName } from '../../rules/permissions.ts'
import { ForeignId, Time } from './fields.ts'
import type { Found } from './organizations.ts'

/** Lines of `gatehouse import --from users` beside those of users: each is one field with an object. */
const KINDS = {
  organization: z.object({ id: ForeignId, name: GroupName, slug: Slug, created_at: Time.nullish() }),
  member: z.object({
    organization_id: ForeignId,
    user_id: ForeignId,
    roles: z.array(RoleName).min(1).max(ROLES_OF_A_MEMBER),
  }),
} as const

type Kind = keyof typeof KINDS

interface Line {
  readonly who: string
  readonly line: number
  readonly user: unknown
}

export type Lines = Iterable<Line> | AsyncIterable<Line>

/** Undefined for a user. */
export function kindOf(sent: unknown): Kind | undefined {
  if (typeof sent !== 'object' || sent === null) return undefined
  const names = Object.keys(sent)
  return (['organization', 'member'] as const).find((kind) => names.length === 1 && names[0] === kind)
}

/** By name, as in a user. */
export function unknownFieldsOf(kind: Kind, sent: unknown): readonly string[] {
  const fields = Object.keys(Object(Reflect.get(Object(sent), kind)))
  return fields.filter((name) => !(name in KINDS[kind].shape)).map((name) => `${kind}.${name}`)
}

export async function* organizationsIn(lines: Lines, now: () => number): AsyncGenerator<Found<IncomingOrganization>> {
  for await (const { who, line, user } of lines) {
    if (kindOf(user) !== 'organization') continue
    const { data, error } = z.object({ organization: KINDS.organization }).safeParse(user)
    if (error) yield { who, line, why: malformed(error) }
    else {
      const { created_at, ...organization } = data.organization
      yield {
        who: `${who} (${organization.slug})`,
        line,
        incoming: { ...organization, createdAt: created_at ?? now() },
      }
    }
  }
}

export async function* membersIn(lines: Lines): AsyncGenerator<Found<IncomingMember>> {
  for await (const { who, line, user } of lines) {
    if (kindOf(user) !== 'member') continue
    const { data, error } = z.object({ member: KINDS.member }).safeParse(user)
    if (error) yield { who, line, why: malformed(error) }
    else {
      const { organization_id: organizationId, user_id: userId, roles } = data.member
      yield { who: `${who} (${userId})`, line, incoming: { organizationId, userId, roles: [...new Set(roles)] } }
    }
  }
}

function malformed({ issues }: z.ZodError): string {
  return `${[...new Set(issues.map(({ path }) => path.slice(1).join('.')))].join(', ')}: malformed`
}
