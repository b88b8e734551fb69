// Makes `dist/`: the pages are there already; the program becomes one file for the client, one for the server, and one
// each for jq, MCP and traces, which are large or seldom used. Nothing of node_modules is needed to run them. One file
// for the server also means that a running server reads nothing more of `dist/`, so the next build can replace it.
import { chmod, copyFile, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type BuildOptions, type BuildResult, build, type Plugin } from 'esbuild'
import { routes } from '../src/app.ts'
import { root } from './ensure.mjs'
import { buildPackages } from './packages/build.ts'

// The compiled code is kept where a clone keeps it too, if that can be written: 30 ms of processor less a start.
const launcher = `#!/usr/bin/env node
import module from 'node:module'
import { join } from 'node:path'

const [major] = process.versions.node.split('.')
if (Number(major) >= 24) {
  module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))
  module.createRequire(import.meta.url)('./client.cjs')
} else {
  process.stderr.write(\`gatehouse: needs Node 24 or later; this is \${process.version}\\n\`)
  process.exitCode = 1
}
`

// Strict like the modules it is made of.
const commonJs = "'use strict';const __address=require('node:url').pathToFileURL(__filename).href"

const serverCommands = new Set<string>()

const client = await bundle('client', {
  entryPoints: [join(root, 'src/main.ts')],
  plugins: [leaveServerOut(serverCommands), leaveTranslationsOut()],
})
const strayed = Object.keys(client.metafile.inputs).find((file) => /^src\/(?:features|database|http)\//.test(file))
if (strayed !== undefined) throw new Error(`the server has become part of the client: ${strayed}`)
await bundle('server', {
  stdin: { contents: reexport([...serverCommands]), resolveDir: root },
  plugins: [leaveTracesOut(), leaveTranslationsOut(), leaveCallersOut(), leaveCertificatesOut()],
})
await bundle('open-telemetry', {
  entryPoints: [join(root, 'src/platform/traces/open-telemetry.ts')],
  mainFields: ['module', 'main'],
})
await bundle('mcp', { entryPoints: [join(root, 'client/mcp/serve.ts')], plugins: [leaveTranslationsOut()] })
await bundle('bcrypt-thread', {
  entryPoints: [join(root, 'src/platform/passwords/foreign/bcrypt-thread.ts')],
})
await bundle('picture-thread', {
  entryPoints: [join(root, 'src/features/ground/settings/brand/look/picture-thread.ts')],
})
await bundle('reading-child', { entryPoints: [join(root, 'src/database/sqlite/reading-child.ts')] })
await bundle('jq-thread', { entryPoints: [join(root, 'client/request/output/jq-thread.ts')] })
await copyFile(join(root, 'src/features/people/account/common-passwords.txt'), join(root, 'dist/common-passwords.txt'))
await buildPackages(routes)
await writeFile(join(root, 'dist/gatehouse.mjs'), launcher)
await chmod(join(root, 'dist/gatehouse.mjs'), 0o755)

async function bundle(name: string, input: BuildOptions): Promise<BuildResult<{ metafile: true }>> {
  const outfile = join(root, `dist/${name}.cjs`)
  const built = await build({
    ...input,
    absWorkingDir: root,
    metafile: true,
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': '__address' },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'warning',
    external: ['pg-native'],
    banner: { js: commonJs },
  })
  // esbuild escapes strings, not regular expressions. With one letter beyond ASCII V8 keeps two bytes for every letter.
  if (/[^\0-\x7f]/.test(await readFile(outfile, 'latin1'))) throw new Error(`${outfile} is not ASCII`)
  return built
}

/** The file with traces is read only if traces are wanted. */
function leaveTracesOut(): Plugin {
  return {
    name: 'leave traces out',
    setup({ onResolve }) {
      onResolve({ filter: /\/open-telemetry\.ts$/ }, ({ kind }) =>
        kind === 'dynamic-import' ? { path: './open-telemetry.cjs', external: true } : undefined,
      )
    },
  }
}

/** The operator's commands stay lazy: their imports lead to the other files. */
function leaveServerOut(found: Set<string>): Plugin {
  return {
    name: 'leave the server out',
    setup({ onResolve }) {
      onResolve({ filter: /^\.\/serve\.ts$/ }, ({ importer }) =>
        importer.endsWith('client/mcp/mcp.ts') ? { path: './mcp.cjs', external: true } : undefined,
      )
      onResolve({ filter: /^\.\.\// }, ({ kind, path, importer }) => {
        const isCommand = kind === 'dynamic-import' && /^\.\.\/[\w-]+\.ts$/.test(path)
        if (!isCommand || !dirname(importer).endsWith('src/operator/commands/program')) return undefined
        found.add(`./src/operator/commands/${path.slice(3)}`)
        return { path: './server.cjs', external: true }
      })
    },
  }
}

/** zod's own texts in fifty languages, a fifth of the server: callers get codes, people the pages' words. */
function leaveTranslationsOut(): Plugin {
  return {
    name: 'leave translations out',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\/locales\/index\.js$/ }, () => ({ path: 'locales', namespace: 'nothing' }))
      onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({ contents: '' }))
    },
  }
}

/**
 * Each logger asks for the files on its stack, which only transports in other threads need. V8 parses the whole
 * server again to find them, and needs 11 MB for a moment.
 */
function leaveCallersOut(): Plugin {
  return {
    name: 'leave callers out',
    setup({ onLoad }) {
      onLoad({ filter: /\/pino\/lib\/caller\.js$/ }, () => ({ contents: 'module.exports = () => []' }))
    },
  }
}

/**
 * Attestations of passkeys are dropped unread, so nothing checks the certificates of their makers. That is a tenth
 * of the server, and half a megabyte of an idle one.
 */
function leaveCertificatesOut(): Plugin {
  return {
    name: 'leave certificates out',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^@peculiar\/x509$|\/verifications\/|\/convertX509PublicKeyToCOSE\.js$/ }, () => ({
        path: 'certificates',
        namespace: 'unused',
      }))
      onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {}' }))
    },
  }
}

function reexport(files: readonly string[]): string {
  return files.map((file) => `export * from '${file}'`).join('\n')
}
