import { keepPreviousData } from '@tanstack/react-query'
import type { Filtered } from '../../../routing/filters.ts'
import { ApiError, get, type Output } from '../../../server/api.ts'
import type { Member } from '../../organizations/members.tsx'

export type Membership = Output<'/api/auth/organization/list'>[number]
export type Role = Output<'/api/auth/organization/list-roles'>[number]
export type Full = NonNullable<Output<'/api/auth/organization/get-full-organization'>>

/** Whatever is known of organisations. */
export const organizationsKey = ['organizations']

export const membershipsQuery = {
  queryKey: [...organizationsKey, 'mine'],
  queryFn: () => get('/api/auth/organization/list'),
}

/** A reader who may not see them sees none. */
async function noneIf<Row>(code: string, rows: Promise<readonly Row[]>): Promise<readonly Row[]> {
  try {
    return await rows
  } catch (error) {
    if (error instanceof ApiError && error.code === code) return []
    throw error
  }
}

export const invitationsToMeQuery = {
  queryKey: [...organizationsKey, 'to-me'],
  queryFn: () =>
    noneIf('EMAIL_VERIFICATION_REQUIRED_FOR_INVITATION', get('/api/auth/organization/list-user-invitations')),
}

const named = (organizationId: string, more: Readonly<Record<string, string>> = {}) =>
  `?${new URLSearchParams({ organizationId, ...more })}`

/** Its members have a list of their own. */
export const fullQuery = (id: string) => ({
  queryKey: [...organizationsKey, 'one', id],
  queryFn: () => get('/api/auth/organization/get-full-organization', named(id, { membersLimit: '1' })),
})

export const rolesQuery = (id: string) => ({
  queryKey: [...organizationsKey, 'roles', id],
  queryFn: () => noneIf('YOU_ARE_NOT_ALLOWED_TO_LIST_A_ROLE', get('/api/auth/organization/list-roles', named(id))),
})

export const teamsOfQuery = (organizationId: string, userId: string) => ({
  queryKey: [...organizationsKey, 'teams-of', organizationId, userId],
  queryFn: () => get('/api/auth/organization/list-user-teams', named(organizationId, { userId })),
})

export function membersQuery(id: string, { values, page, size }: Filtered<'search'>) {
  const read = async (part: { readonly page: number; readonly page_size: number }) => {
    const { members, total } = await get(
      '/api/auth/organization/list-members',
      named(id, {
        limit: String(part.page_size),
        offset: String((part.page - 1) * part.page_size),
        search: values.search ?? '',
      }),
    )
    return { items: members.map(memberOf), total }
  }
  return {
    queryKey: [...organizationsKey, 'members', id, values.search ?? '', String(page), String(size)],
    queryFn: () => read({ page, page_size: size }),
    placeholderData: keepPreviousData,
    read,
  }
}

type Listed = Output<'/api/auth/organization/list-members'>['members'][number]

function memberOf({ id, userId, role, createdAt, user: { email, name } }: Listed): Member {
  return { id, userId, email, name, roles: role.split(','), since: Date.parse(createdAt) }
}

/** The first reads of the page about one. */
export const queriesOfOrganization = (id: string) => [membershipsQuery, fullQuery(id), rolesQuery(id)]
