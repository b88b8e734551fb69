import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from '../processes/it.ts'

it('settings as code beside a running service: export, plan and apply, and how each of them ends', async ({
  program,
}) => {
  await program.prepare()
  const life = await program.serve()
  const file = join(program.dataDir, 'settings.json')
  const settings = (...words: readonly string[]) => program.run(['settings', ...words], { AI_KEY: 'sk-secret' })
  const exported = await settings('export')
  writeFileSync(file, exported.stdout)
  const same = await settings('plan', file)
  const changed = JSON.parse(exported.stdout)
  changed.authentication.registration_enabled = false
  changed.ai.api_key = 'env:AI_KEY'
  writeFileSync(file, JSON.stringify(changed))

  const planned = await settings('plan', file)
  const applied = await settings('apply', file)
  const after = await settings('plan', file)
  const served: { registration_enabled: boolean } = JSON.parse(await (await life.request('/api/client_config')).text())
  writeFileSync(file, '{ "ai": { "modell": "x" } }')
  const wrong = [
    await settings('plan', file),
    await settings('apply', join(program.dataDir, 'nothing')),
    await settings('plan'),
    await settings('merge'),
  ]
  writeFileSync(file, Buffer.from('{ "brand": { "name": "Café" } }', 'latin1'))
  wrong.push(await settings('apply', file))

  assert.deepEqual([exported.code, same.code, same.stdout], [0, 0, ''])
  const lines = 'authentication.registration_enabled: true -> false\nai.api_key: is set from env:AI_KEY\n'
  assert.deepEqual([planned.code, planned.stdout], [2, lines])
  assert.deepEqual([applied.code, applied.stdout, after.code, after.stdout], [0, lines, 0, ''])
  assert.equal(served.registration_enabled, false)
  assert.deepEqual(
    wrong.map(({ code }) => code),
    [1, 1, 1, 1, 1],
  )
  assert.match(wrong[0]?.stderr ?? '', /^gatehouse: ai\.modell: /m)
  assert.match(wrong[4]?.stderr ?? '', /is not in UTF-8/)
})

it('an application as code: its secret goes into the named file only, and prune removes it', async ({ program }) => {
  await program.prepare()
  const life = await program.serve()
  const file = join(program.dataDir, 'settings.json')
  const secretsOut = join(program.dataDir, 'secrets-out.json')
  const settings = (...words: readonly string[]) => program.run(['settings', ...words])
  writeFileSync(file, JSON.stringify({ applications: [{ key: 'metrics', name: 'Metrics', kind: 'service' }] }))

  const refused = await settings('apply', file)
  const unnamed = await settings('apply', file, '--secrets-out', '-')
  const applied = await settings('apply', file, '--secrets-out', secretsOut)
  const { client_id, client_secret } = JSON.parse(readFileSync(secretsOut, 'utf8')).applications.metrics
  const introspected = await life.request('/api/oauth/introspect', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams({ token: 'x', client_id, client_secret })),
  })
  writeFileSync(file, '{ "applications": [] }')
  const drift = [await settings('plan', file), await settings('plan', file, '--prune')]
  const pruned = await settings('apply', file, '--prune')

  const line = 'applications.metrics: is registered, and gets a secret\n'
  assert.deepEqual([refused.code, unnamed.code, applied.code, applied.stdout], [1, 1, 0, line])
  assert.match(refused.stderr, /^gatehouse: applications\.metrics: .*--secrets-out/m)
  assert.equal(introspected.status, 200)
  assert.deepEqual(
    drift.map(({ code }) => code),
    [0, 2],
  )
  assert.deepEqual([pruned.code, pruned.stdout], [0, 'applications.metrics: is deleted\n'])
})
