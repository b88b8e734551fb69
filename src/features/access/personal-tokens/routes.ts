import { Done } from '../../../http/requests/body.ts'
import { sessionRoute } from '../../../http/route.ts'
import { OneById } from '../../../rules/ids.ts'
import { listOf, Page } from '../../../rules/paging.ts'
import { revokeOwnGrant } from '../grants/revoking.ts'
import { CreatedPersonalToken, NewPersonalToken, PersonalToken } from './input.ts'
import { createPersonalToken, listPersonalTokens } from './personal-tokens.ts'

export const personalTokenRoutes = [
  sessionRoute({
    method: 'POST',
    path: '/api/list_personal_tokens',
    summary: 'Your personal access tokens, newest first',
    input: Page,
    output: listOf(PersonalToken),
    handle: listPersonalTokens,
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/create_personal_token',
    summary: 'Create an access token for one of your scripts; it is shown once',
    input: NewPersonalToken,
    output: CreatedPersonalToken,
    limit: 'personal-tokens',
    needsFreshSession: true,
    handle: createPersonalToken,
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/revoke_personal_token',
    summary: 'Revoke one of your access tokens at once',
    input: OneById,
    output: Done,
    handle: (call, { id }) => revokeOwnGrant(call, id),
  }),
] as const
