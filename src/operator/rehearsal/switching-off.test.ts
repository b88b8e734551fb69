import assert from 'node:assert/strict'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'vitest'
import { preparedFolder } from '../../../test/service/prepared-folder.ts'
import { temporaryFolder } from '../../../test/service/temporary-folder.ts'
import { readConfig } from '../../config/config.ts'
import { switchOff } from './switching-off.ts'

describe('the copy of a rehearsal', () => {
  it('has no way out, and lets strangers sign up with a password alone', async () => {
    const { config, meta } = await copied()
    using database = meta
    database.exec(`
      insert into webhook (id, url, types, enabled, sealed, position, created_at, updated_at, claimed_by, claimed_until)
        values ('hook', 'https://shop.example.com/hook', '[]', 1, '', 0, 0, 0, '', 0);
      insert into application (id, name, kind, redirect_uris, post_logout_redirect_uris, scopes, id_token_algorithm,
          created_at, updated_at, backchannel_logout_uri)
        values ('shop', 'Shop', 'web', '[]', '[]', '[]', 'RS256', 0, 0, 'https://shop.example.com/logout');
      update settings set
        email = json_set(email, '$.provider', 'smtp', '$.smtp_host', 'mail.example.com'),
        hooks = '{"before_sign_up":{"enabled":true,"url":"https://shop.example.com/ask","timeout_ms":500},"claims":{"a":"b"}}',
        authentication = json_set(authentication, '$.registration_enabled', json('false'), '$.beta_gate_enabled', json('true'),
          '$.email_verification_required', json('true'), '$.challenge_enabled', json('true'), '$.second_factor', 'required',
          '$.email_signup_domain_allowlist', json('["example.org"]'), '$.sign_in_letters', json('false'))`)

    await switchOff({ config })

    assert.deepEqual(
      database
        .prepare('select backchannel_logout_uri as uri from application')
        .all()
        .map(({ uri }) => uri),
      [null],
    )
    const part = (name: string) => JSON.parse(String(database.prepare('select * from settings').get()?.[name]))
    const { email, hooks, authentication } = {
      email: part('email'),
      hooks: part('hooks'),
      authentication: part('authentication'),
    }
    assert.deepEqual(
      { ...database.prepare('select enabled, url from webhook').get() },
      { enabled: 0, url: 'https://nobody.invalid/' },
    )
    assert.deepEqual([email.provider, email.smtp_host], [null, ''])
    assert.deepEqual(hooks, { before_sign_up: { enabled: false, url: '', timeout_ms: 500 }, claims: { a: 'b' } })
    const { registration_enabled, beta_gate_enabled, email_verification_required, challenge_enabled } = authentication
    assert.deepEqual(
      [registration_enabled, beta_gate_enabled, email_verification_required, challenge_enabled],
      [true, false, false, false],
    )
    const { second_factor, email_signup_domain_allowlist, sign_in_letters } = authentication
    assert.deepEqual([second_factor, email_signup_domain_allowlist, sign_in_letters], ['optional', [], false])
  })

  it('of a release without hooks is switched off too', async () => {
    const { config, meta } = await copied()
    using database = meta
    database.exec('alter table settings drop column hooks')

    await switchOff({ config })

    const { email } = database.prepare('select email from settings').get() ?? {}
    assert.equal(JSON.parse(String(email)).provider, null)
  })
})

async function copied() {
  const config = readConfig({ DATA_DIR: join(temporaryFolder(), 'data') })
  await cp(await preparedFolder(), config.dataDir, { recursive: true })
  return { config, meta: new DatabaseSync(join(config.dataDir, 'meta.sqlite')) }
}
