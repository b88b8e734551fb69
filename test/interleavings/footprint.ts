import { verifyShards } from '../../src/features/moves/verifying.ts'
import { tokenHash } from '../../src/rules/tokens.ts'
import type { Subject } from './acts.ts'
import { plainHash } from './stage.ts'

/** All that the stores hold of somebody, in words that do not depend on ids and times. */
export async function footprintOf(subject: Subject): Promise<Readonly<Record<string, unknown>>> {
  const { stage, ann } = subject
  const { meta } = stage.service.platform
  const user = await meta
    .selectFrom('user')
    .select(['email_verified', 'suspended_at'])
    .where('id', '=', ann.id)
    .executeTakeFirst()
  const accounts = await meta
    .selectFrom('account')
    .select(['provider', 'password_hash'])
    .where('user_id', '=', ann.id)
    .execute()
  const requests = await meta
    .selectFrom('authorization_request')
    .select('state')
    .where('user_id', '=', ann.id)
    .execute()
  const flows = await meta
    .selectFrom('provider_flow')
    .select('state_hash')
    .where('link_user_id', '=', ann.id)
    .execute()
  const codes = await meta
    .selectFrom('verification')
    .select('purpose')
    .where('email', '=', ann.email)
    .execute()
  return {
    user: user ? { verified: user.email_verified, suspended: user.suspended_at !== null } : 'gone',
    providers: accounts.map(({ provider }) => provider).toSorted(),
    password: accounts
      .map(({ password_hash }) => password_hash)
      .find((hash) => hash !== null)
      ?.slice(plainHash('').length),
    requests: requests.map(({ state }) => state).toSorted(),
    // A link that was refused has used its flow up.
    ...(user ? {} : { flows: flows.length }),
    codes: codes.map(({ purpose }) => purpose).toSorted(),
    ...(await accessOf(subject)),
    ...(await shardsOf(subject)),
    disagreements: await disagreementsOf(subject),
  }
}

async function disagreementsOf({ stage }: Subject): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { words } of verifyShards(stage.service.platform)) found.push(words)
  return found
}

async function accessOf({ stage, ann, tokens }: Subject) {
  const { meta } = stage.service.platform
  const sessions = await meta
    .selectFrom('session')
    .select('token_hash')
    .where('user_id', '=', ann.id)
    .execute()
  const access = await meta
    .selectFrom('access_token')
    .innerJoin('api_grant', 'api_grant.id', 'access_token.grant_id')
    .select('access_token.token_hash')
    .where('api_grant.user_id', '=', ann.id)
    .where('revoked_at', 'is', null)
    .execute()
  const refresh = await meta
    .selectFrom('refresh_token')
    .innerJoin('api_grant', 'api_grant.id', 'refresh_token.grant_id')
    .select('refresh_token.token_hash')
    .where('api_grant.user_id', '=', ann.id)
    .where('revoked_at', 'is', null)
    .where('used_at', 'is', null)
    .execute()
  const names = new Map([...tokens].map(([name, token]) => [tokenHash(token), name]))
  const named = (rows: readonly { readonly token_hash: string }[]) =>
    rows.map((row) => names.get(row.token_hash) ?? 'a token that nobody has').toSorted()
  return { sessions: named(sessions), access: named(access), refresh: named(refresh) }
}

async function shardsOf({ stage, ann }: Subject) {
  const { platform } = stage.service
  const home = await platform.meta
    .selectFrom('user_shards')
    .select('shard_id')
    .where('user_id', '=', ann.id)
    .executeTakeFirst()
  const held = []
  for (const shard of platform.shards.values()) {
    const feedback = await shard.selectFrom('feedbacks').select('id').where('user_id', '=', ann.id).execute()
    const credits = await shard
      .selectFrom('credit_balance')
      .select('balance')
      .where('user_id', '=', ann.id)
      .execute()
    const resident = await shard
      .selectFrom('residents')
      .select('state')
      .where('user_id', '=', ann.id)
      .executeTakeFirst()
    const state = resident?.state ?? 'never here'
    if (feedback.length + credits.length > 0 || state === 'held' || state === 'arriving')
      held.push({ shard: shard.name, state, feedback: feedback.length, balance: credits[0]?.balance })
  }
  const bound = await platform.meta
    .selectFrom('beta_codes')
    .select('code')
    .where('used_by', '=', ann.id)
    .execute()
  const moves = await platform.meta
    .selectFrom('shard_moves')
    .select('attempt')
    .where('user_id', '=', ann.id)
    .execute()
  return { home: home?.shard_id, held, bound: bound.length, moves: moves.length }
}
