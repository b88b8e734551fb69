import type { Compilable } from 'kysely'
import type { Meta, Shard } from '../../src/database/store.ts'
import { tokenHash } from '../../src/rules/tokens.ts'
import type { Subject } from './acts.ts'
import { plainHash } from './stage.ts'

/** All that the stores have about a user, as text that does not depend on ids and times. */
export type Footprint = Readonly<Record<string, unknown>>

/** Returns a reader whose statements are built once. Make it before the acts, because their letters count. */
export async function footprintReader(subject: Subject): Promise<() => Promise<Footprint>> {
  const { meta, shards } = subject.stage.service.platform
  const ofAccount = accountReader(meta, subject)
  const ofAccess = accessReader(meta, subject)
  const ofTraces = await traceReader(meta, subject)
  const ofHome = homeReader(meta, subject)
  const ofShards = [...shards.values()].map((shard) => shardReader(shard, subject))
  return async () => {
    const held = []
    for (const ofShard of ofShards) held.push(...(await ofShard()))
    return {
      ...(await ofAccount()),
      ...(await ofAccess()),
      ...(await ofTraces()),
      ...(await ofHome()),
      held,
      disagreements: await subject.stage.disagreements(),
    }
  }
}

/** A statement that is built once. */
function built<Row>(query: Compilable<Row>): Compilable<Row> {
  const compiled = query.compile()
  return { compile: () => compiled }
}

function accountReader(meta: Meta, { ann, made }: Subject) {
  const queries = [
    built(meta.selectFrom('user').select(['email_verified', 'suspended_at', 'factors']).where('id', '=', ann.id)),
    built(
      meta
        .selectFrom('account')
        .select(['provider', 'provider_account_id', 'password_hash'])
        .where('user_id', '=', ann.id),
    ),
    built(meta.selectFrom('authorization_request').select('state').where('user_id', '=', ann.id)),
    built(meta.selectFrom('provider_flow').select('state_hash').where('link_user_id', '=', ann.id)),
    built(meta.selectFrom('mailed_code').select('purpose').where('email', '=', ann.email)),
    built(meta.selectFrom('passkey').select('credential_id').where('user_id', '=', ann.id)),
    built(meta.selectFrom('totp_factor').select('is_confirmed').where('user_id', '=', ann.id)),
    built(meta.selectFrom('backup_code').select('is_active').where('user_id', '=', ann.id)),
  ] as const
  const keys = new Map([...made.keys].map(([name, { id }]) => [id.toString('base64url'), name]))
  const members = new Map([...made.members].map(([name, id]) => [String(id), name]))
  return async () => {
    const [[user], accounts, requests, flows, codes, passkeys, apps, backup] = await meta.snapshot(queries, 'primary')
    return {
      user: user
        ? { verified: user.email_verified, suspended: user.suspended_at !== null, factors: user.factors }
        : 'gone',
      passkeys: passkeys.map(({ credential_id }) => keys.get(credential_id)).toSorted(),
      apps: apps.map(({ is_confirmed }) => is_confirmed).toSorted(),
      backupCodes: backup.map(({ is_active }) => is_active).toSorted(),
      providers: accounts.map(({ provider, provider_account_id: id }) => members.get(id) ?? provider).toSorted(),
      password: accounts
        .map(({ password_hash }) => password_hash)
        .find((hash) => hash !== null)
        ?.slice(plainHash('').length),
      // A redeemed one opens nothing: a deletion removes it first, also if it is then refused.
      requests: requests
        .map(({ state }) => state)
        .filter((state) => state !== 'redeemed')
        .toSorted(),
      // A link that was refused has used its flow up.
      ...(user ? {} : { flows: flows.length }),
      codes: codes.map(({ purpose }) => purpose).toSorted(),
    }
  }
}

function accessReader(meta: Meta, { ann, tokens }: Subject) {
  const access = meta
    .selectFrom('access_token')
    .innerJoin('api_grant', 'api_grant.id', 'access_token.grant_id')
    .select('access_token.token_hash')
    .where('api_grant.user_id', '=', ann.id)
    .where('revoked_at', 'is', null)
  const refresh = meta
    .selectFrom('refresh_token')
    .innerJoin('api_grant', 'api_grant.id', 'refresh_token.grant_id')
    .select('refresh_token.token_hash')
    .where('api_grant.user_id', '=', ann.id)
    .where('revoked_at', 'is', null)
    .where('used_at', 'is', null)
  const queries = [
    built(meta.selectFrom('session').select('token_hash').where('user_id', '=', ann.id)),
    built(access),
    built(refresh),
  ] as const
  return async () => {
    const [sessions, access, refresh] = await meta.snapshot(queries, 'primary')
    const names = new Map([...tokens].map(([name, token]) => [tokenHash(token), name]))
    const named = (rows: readonly { readonly token_hash: string }[]) =>
      rows.map((row) => names.get(row.token_hash) ?? 'a token that nobody has').toSorted()
    return { sessions: named(sessions), access: named(access), refresh: named(refresh) }
  }
}

/** The entries of the log, and the number of letters, since the acts began. */
async function traceReader(meta: Meta, { ann }: Subject) {
  const entries = meta
    .selectFrom('event')
    .select('action')
    .where((eb) => eb.or([eb('actor_id', '=', ann.id), eb('subject_id', '=', ann.id)]))
    .where('action', 'not like', '%refused')
    .where('action', '!=', '')
  const letters = meta.selectFrom('letter_queue').select('id')
  const queries = [built(entries), built(letters)] as const
  const [, { length: before }] = await meta.snapshot(queries, 'primary')
  return async () => {
    const [entries, letters] = await meta.snapshot(queries, 'primary')
    return { entries: entries.map(({ action }) => action).toSorted(), letters: letters.length - before }
  }
}

function homeReader(meta: Meta, { ann }: Subject) {
  const queries = [
    built(meta.selectFrom('user_shards').select('shard_id').where('user_id', '=', ann.id)),
    built(meta.selectFrom('beta_codes').select('code').where('used_by', '=', ann.id)),
    built(meta.selectFrom('shard_moves').select('attempt').where('user_id', '=', ann.id)),
  ] as const
  return async () => {
    const [[home], bound, moves] = await meta.snapshot(queries, 'primary')
    return { home: home?.shard_id, bound: bound.length, moves: moves.length }
  }
}

function shardReader(shard: Shard, { ann }: Subject) {
  const queries = [
    built(shard.selectFrom('feedbacks').select('id').where('user_id', '=', ann.id)),
    built(shard.selectFrom('credit_balance').select('balance').where('user_id', '=', ann.id)),
    built(shard.selectFrom('residents').select('state').where('user_id', '=', ann.id)),
  ] as const
  return async () => {
    const [feedback, [credits], [resident]] = await shard.snapshot(queries, 'primary')
    const state = resident?.state ?? 'never here'
    const isThere = feedback.length > 0 || credits || state === 'held' || state === 'arriving'
    return isThere ? [{ shard: shard.name, state, feedback: feedback.length, balance: credits?.balance }] : []
  }
}
