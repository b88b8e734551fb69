import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { build } from 'esbuild'
import { z } from 'zod'
import { it } from '../../service/today.ts'
import { canRun, folderOf } from './clients.ts'

const LIBRARY = { registry: 'npm' } as const
const document = readFileSync(new URL('../../../docs/clients.md', import.meta.url), 'utf8')
const SignedInAs = z.object({ documented: z.string().optional(), without: z.string().optional() })

it.skipIf(!canRun(LIBRARY))(
  '@better-auth/expo: keeps the session’s cookie only with the prefix that docs/clients.md names (needs node scripts/clients.mjs)',
  async ({ server: { url }, ann }) => {
    const [, list = ''] = /cookiePrefix: \[(.*?)\]/.exec(document) ?? []
    const prefixes = Array.from(list.matchAll(/'(.*?)'/g), ([, prefix]) => prefix)
    const app = await bundled({ url, user: { email: ann.email, password: ann.password }, prefixes })

    const { documented, without } = SignedInAs.parse(await import(`data:text/javascript;base64,${btoa(app)}`))

    assert.deepEqual([documented, without], [ann.id, undefined])
  },
)

const APP = `
import { expoClient } from '@better-auth/expo/client'
import { createAuthClient } from 'better-auth/client'

const { url, user, prefixes } = GIVEN

async function signedInAs(cookiePrefix) {
  const kept = new Map()
  const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) }
  const client = createAuthClient({ baseURL: url, plugins: [expoClient({ scheme: 'shop', storage, cookiePrefix })] })
  const { error } = await client.signIn.email(user)
  if (error) throw new Error(error.message)
  return (await client.getSession()).data?.user.id
}

export const documented = await signedInAs(prefixes)
export const without = await signedInAs()
`

/** The parts of a telephone that the library imports. */
const PHONE: Readonly<Record<string, string>> = {
  'expo-constants': 'export default {}',
  'expo-linking': 'export const createURL = () => "shop://"',
  'expo-network': 'export {}',
  'expo-web-browser': 'export {}',
  'react-native': 'export const AppState = {}, Platform = { OS: "ios" }',
}

async function bundled(given: object): Promise<string> {
  const { outputFiles } = await build({
    ...{ bundle: true, write: false, format: 'esm', platform: 'node', logLevel: 'error' },
    define: { GIVEN: JSON.stringify(given) },
    stdin: { contents: APP, resolveDir: folderOf(LIBRARY) },
    plugins: [
      {
        name: 'phone',
        setup({ onResolve, onLoad }) {
          const filter = new RegExp(`^(${Object.keys(PHONE).join('|')})$`)
          onResolve({ filter }, ({ path }) => ({ path, namespace: 'phone' }))
          onLoad({ filter, namespace: 'phone' }, ({ path }) => ({ contents: PHONE[path] ?? '' }))
        },
      },
    ],
  })
  return outputFiles[0]?.text ?? assert.fail('nothing was built')
}
