import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import vm from 'node:vm'
import { buildSync } from 'esbuild'
import type { Verifier, VerifierOptions } from '../../../packages/server/verifier.ts'

type Options = Omit<VerifierOptions, 'fetch' | 'onConnection'>

/** The published verifier on one platform. */
export interface OnPlatform {
  /** The id of the user, or why not. Rejects if the verifier throws. */
  check(authorization: string): Promise<string>
  close(): Promise<void>
}

const SOURCE = fileURLToPath(new URL('../../../packages/server/verifier.ts', import.meta.url))
const HOST = fileURLToPath(new URL('verifier-host.mjs', import.meta.url))

/** The oldest Node that it is made for, if this machine has one. */
export function findNode20(): string | undefined {
  return ['/usr/bin/node', '/usr/local/bin/node'].find((path) =>
    String(spawnSync(path, ['--version']).stdout ?? '').startsWith('v20.'),
  )
}

/** In a process of that Node; resolves once it follows what is revoked. */
export async function onNode(node: string, options: Options): Promise<OnPlatform> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-verifier-'))
  const file = join(folder, 'server.mjs')
  buildSync({ entryPoints: [SOURCE], outfile: file, ...BUNDLED, format: 'esm' })
  const child = spawn(node, [HOST, file, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const answer = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error('the process has ended')
    return String(value)
  }
  await answer()
  return {
    check(authorization) {
      child.stdin.write(`${JSON.stringify(authorization)}\n`)
      return answer()
    },
    async close() {
      child.stdin.end()
      if (child.exitCode === null) await once(child, 'exit')
      rmSync(folder, { recursive: true })
    },
  }
}

/** On a platform with nothing but what browsers and edge platforms have; resolves once it follows what is revoked. */
export async function onWebStandards(options: Options): Promise<OnPlatform> {
  const { outputFiles } = buildSync({
    entryPoints: [SOURCE],
    ...BUNDLED,
    format: 'iife',
    globalName: 'gatehouse',
    write: false,
  })
  const context = vm.createContext({ ...WEB_STANDARDS })
  vm.runInContext(outputFiles[0]?.text ?? '', context)
  const following = Promise.withResolvers<void>()
  const onConnection = (state: string) => state === 'following' && following.resolve()
  const verifier: Verifier = context.gatehouse.createVerifier({ ...options, onConnection })
  await following.promise
  return {
    async check(authorization) {
      const checked = await verifier.check({ headers: { authorization } })
      return checked.caller ? checked.caller.userId : checked.refused
    },
    close: async () => verifier.close(),
  }
}

const BUNDLED = { bundle: true, platform: 'neutral', target: 'es2022' } as const

export const WEB_STANDARDS = {
  ...{ fetch, Headers, Request, Response, URL, URLSearchParams, AbortController, AbortSignal },
  ...{ TextEncoder, TextDecoder, atob, btoa, crypto, performance },
  ...{ setTimeout, clearTimeout, queueMicrotask },
}
