import type { SignedInCall } from '../../../http/route.ts'
import { newId } from '../../../rules/ids.ts'
import type { Page } from '../../../rules/paging.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import { refuseOutside } from '../../people/memberships/membership.ts'
import { membershipIn } from '../../people/memberships/statements.ts'
import { decideSignedIn } from '../../people/sessions/sessions.ts'
import { listGrants } from '../grants/grants.ts'
import { scopeNotHeld } from '../grants/requests/requested-scopes.ts'
import { countPersonalTokens, insertPersonalGrant, MOST_PERSONAL_TOKENS, PERSONAL } from '../grants/statements.ts'
import { areDeclared } from '../product-scopes/product-scopes.ts'
import type { NewPersonalToken } from './input.ts'

/** A personal token is a grant, so everything that ends the user's grants ends it too. */
export async function createPersonalToken(call: SignedInCall, input: NewPersonalToken) {
  const { platform, caller } = call
  const { meta, now, config } = platform
  await refuseScopes(call, input)
  const id = newId()
  const token = newToken('personal')
  const expiresAt = now() + input.expires_in_days * DAY_MILLISECONDS
  const { name, scopes, organization_id } = input
  const userId = caller.user.id
  const grant = {
    id,
    user_id: userId,
    client_name: name,
    target_origin: config.baseUrl,
    scopes: scopes.join(' '),
    organization_id,
    created_at: now(),
    expires_at: expiresAt,
  }
  const settings = { revision: caller.settingsRevision }
  const first = [
    countPersonalTokens(meta, userId),
    organization_id === null ? undefined : membershipIn(meta, userId, organization_id),
  ] as const
  await decideSignedIn({ ...call, settings }, first, async (act, user, [counted], [membership]) => {
    refuseOutside(organization_id, membership)
    if (!counted || counted.tokens >= MOST_PERSONAL_TOKENS) throw tooMany()
    act.write(...insertPersonalGrant(meta, grant, tokenHash(token)))
    act.record('personal_token.created', {
      user,
      subject: { type: 'grant', id },
      details: { name, scopes },
      data: { id, client_id: PERSONAL, scopes: grant.scopes },
      name,
    })
  })
  return { id, token, expires_at: expiresAt }
}

function tooMany(): Refusal {
  const most = `${MOST_PERSONAL_TOKENS} access tokens, with those that ended in the last 90 days`
  return new Refusal('QUOTA_EXCEEDED', `An account can have at most ${most}.`)
}

async function refuseScopes({ platform, caller }: SignedInCall, { scopes }: NewPersonalToken) {
  const missing = scopeNotHeld(scopes, caller.user)
  if (missing !== undefined) throw new Refusal('FORBIDDEN', `Your account lacks ${missing}, so no token can have it.`)
  if (await areDeclared(platform.meta, scopes)) return
  const issues = [{ path: 'scopes', message: 'This product scope is not declared.' }]
  throw new Refusal('INVALID_REQUEST', 'scopes: This product scope is not declared.', { issues })
}

export async function listPersonalTokens(call: SignedInCall, page: Page) {
  const { items, total } = await listGrants(call, call.caller.user.id, page, 'personal')
  return {
    items: items.map(({ client_name: name, id, scopes, status, created_at, last_used_at, expires_at }) => {
      return { id, name, scopes, status, created_at, last_used_at, expires_at }
    }),
    total,
  }
}
