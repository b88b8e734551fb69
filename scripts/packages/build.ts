// Makes `dist/packages/`: what products import. One file for each, without any dependency, and its types.
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import type { Route } from '../../src/http/route.ts'
import { root } from '../ensure.mjs'
import { apiTypesOf, routeFactsOf } from './api.ts'

const target = join(root, 'dist/packages')
const types = join(target, 'types')
const ADAPTERS = ['express', 'fastify', 'hono', 'next'] as const

export async function buildPackages(routes: readonly Route[]): Promise<void> {
  await rm(target, { recursive: true, force: true })
  await mkdir(types, { recursive: true })
  await Promise.all([
    bundle('client', { stdin: { contents: clientOf(routes), resolveDir: root } }),
    bundle('server', { entryPoints: [join(root, 'packages/server/verifier.ts')], define: await versionDefined() }),
    bundle('react', {
      entryPoints: [join(root, 'packages/react/react.ts')],
      external: ['react'],
      // Next.js and others leave what is marked so out of their server components.
      banner: { js: "'use client'" },
    }),
    ...ADAPTERS.map((name) => bundle(name, { entryPoints: [join(root, `packages/server/frameworks/${name}.ts`)] })),
  ])
  await writeTypes(routes)
}

async function versionDefined() {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  return { GATEHOUSE_VERSION: JSON.stringify(version) }
}

function clientOf(routes: readonly Route[]): string {
  return `import { clientFor } from './packages/client/client.ts'
export { GatehouseError } from './packages/client/error.ts'
const facts = ${JSON.stringify(routeFactsOf(routes))}
export function createClient(options) { return clientFor(options, facts) }`
}

function bundle(name: string, input: BuildOptions) {
  return build({
    ...input,
    outfile: join(target, `${name}.mjs`),
    bundle: true,
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    // The code keeps its names and line breaks, so that people can read what checks their users.
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
  })
}

async function writeTypes(routes: readonly Route[]): Promise<void> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', join(root, 'packages'), '--outDir', types], { stdio: 'inherit' })
  const made = await readdir(types, { recursive: true })
  await Promise.all(made.filter((name) => name.endsWith('.d.ts')).map(withPublishedNames))
  await writeFile(
    join(types, 'client.d.ts'),
    `import type { Client, ClientOptions } from './client/client.js'
export type { CallOptions, Client, ClientOptions } from './client/client.js'
export { GatehouseError, type Issue } from './client/error.js'
export declare function createClient(options: ClientOptions): Client<Api>
${apiTypesOf(routes)}
`,
  )
}

/** Compilers before 5.7 look for `.js` only. */
async function withPublishedNames(name: string): Promise<void> {
  const file = join(types, name)
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"))
}
