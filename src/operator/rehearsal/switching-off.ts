import { sql } from 'kysely'
import type { Meta } from '../../database/store.ts'
import { openMeta } from '../../database/stores.ts'
import type { Copy } from './copy.ts'

/**
 * Runs before the old program starts, and uses only tables and fields that every release since 0.3.0 has. Afterwards the
 * copy sends no letter, webhook, logout or hook, not even one that waits, and strangers can sign up with a password alone.
 */
export async function switchOff({ config }: Pick<Copy, 'config'>): Promise<void> {
  const meta = await openMeta(config)
  try {
    await sql`update ${sql.id('webhook')} set enabled = 0, url = 'https://nobody.invalid/'`.execute(meta)
    await sql`update ${sql.id('application')} set backchannel_logout_uri = null`.execute(meta)
    await switchOffSettings(meta)
  } finally {
    await meta.close()
  }
}

async function switchOffSettings(meta: Meta): Promise<void> {
  await change(meta, 'email', () => ({ provider: null, smtp_host: '' }))
  await change(meta, 'authentication', ({ second_factor }) => ({
    ...{ registration_enabled: true, email_signup_domain_allowlist: [], beta_gate_enabled: false },
    ...{ email_verification_required: false, challenge_enabled: false },
    ...(second_factor === 'required' && { second_factor: 'optional' }),
  }))
  await change(meta, 'hooks', (hooks) =>
    Object.fromEntries(
      Object.entries(hooks).flatMap(([name, hook]) =>
        isHook(hook) ? [[name, { ...hook, enabled: false, url: '' }]] : [],
      ),
    ),
  )
}

type Fields = Readonly<Record<string, unknown>>

/** A part that the old program does not have yet is left out. */
async function change(meta: Meta, part: string, changes: (fields: Fields) => Fields): Promise<void> {
  const { rows } = await sql<Fields>`select * from ${sql.id('settings')}`.execute(meta.primary)
  const text = rows[0]?.[part]
  if (typeof text !== 'string') return
  const fields = JSON.parse(text) as Fields
  await sql`update ${sql.id('settings')} set ${sql.ref(part)} = ${JSON.stringify({ ...fields, ...changes(fields) })}`.execute(
    meta,
  )
}

function isHook(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'enabled' in value
}
