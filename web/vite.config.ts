import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { build } from 'esbuild'
import { defineConfig, type Plugin } from 'vite'

const assets = fileURLToPath(new URL('../dist/web/assets/', import.meta.url))

/** Compresses each file beforehand, as well as possible, so that the first visitor does not wait for it. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    closeBundle() {
      for (const name of readdirSync(assets).filter((file) => /\.(js|css)$/.test(file))) {
        writeFileSync(`${assets}${name}.br`, brotliCompressSync(readFileSync(`${assets}${name}`)))
      }
    },
  }
}

const dist = fileURLToPath(new URL('../dist/web/', import.meta.url))
const elements = fileURLToPath(new URL('../elements/src/', import.meta.url))

/** Built beside the pages of this service and without their code: a small script, and the parts that it loads later. */
function productElements(): Plugin {
  return {
    name: 'product-elements',
    apply: 'build',
    async closeBundle() {
      const SWITCHER = await builtElements('switcher', 'elements-organization.js')
      const VERSION = await builtElements('elements', 'elements-later.js', { SWITCHER })
      await builtElements('main', 'elements.js', { VERSION })
    },
  }
}

/** Returns the text of its version, as it stands in the script that loads it. */
async function builtElements(entry: string, name: string, define: Record<string, string> = {}): Promise<string> {
  const outfile = `${dist}${name}`
  const options = { bundle: true, minify: true, format: 'esm', target: 'es2022' } as const
  await build({ entryPoints: [`${elements}${entry}.ts`], outfile, define, ...options })
  const built = readFileSync(outfile)
  writeFileSync(`${outfile}.br`, brotliCompressSync(built))
  return JSON.stringify(createHash('sha256').update(built).digest('base64url').slice(0, 22))
}

const fetching: keyof typeof import('./src/server/scripts.ts') = 'fetchBeforeImport'
const scripts = fileURLToPath(new URL('src/server/scripts.ts', import.meta.url))

/** Vite's own helper only hints to the browser which scripts an `import()` will need. */
function fetchedBeforeImport(): Plugin {
  return {
    name: 'fetched-before-import',
    apply: 'build',
    transform: {
      filter: { id: /vite\/preload-helper/ },
      handler: () => ({
        code: `import { ${fetching} } from ${JSON.stringify(scripts)}
export const __vitePreload = (load, paths = []) => ${fetching}(load, paths.map((path) => '/' + path))`,
        map: null,
      }),
    },
  }
}

/**
 * The frame, and what sign-in shares with the pages inside: if that were in `front`, those pages would load the forms of
 * sign-in with it, and zod.
 */
const start = new RegExp(
  `web/src/(${[
    ...['main', 'texts/en/plural', 'client-name', 'forms/countdown', 'server/act', 'server/auth', 'server/sign-out'],
    ...['ui/card', 'ui/page', 'ui/controls/text-field', 'ui/controls/text-link', 'ui/facts/person-text'],
    ...['ui/controls/language-select', 'ui/controls/theme-select', 'ui/facts/policy-links', 'ui/facts/support-line'],
    ...['texts/word-of', 'ui/facts/account-names', 'ui/facts/avatar', 'ui/lists/loaded'],
  ].join('|')})\\.tsx?$`,
)

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), tailwind(), fetchedBeforeImport(), compressed(), productElements()],
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Each request on a phone costs more than the bytes that it could save.
        codeSplitting: {
          groups: [
            // Includes everything they import that no group before has taken. The document names them, so that they are
            // fetched beside the script that asks for them.
            ...['en', 'zh'].flatMap((language) =>
              ['front', 'inside', 'console'].map((part) => ({
                name: `${language}-${part}`,
                test: new RegExp(`web/src/texts/${language}/${part}`),
                priority: 5,
              })),
            ),
            { name: 'acts', test: /src\/rules\/acts/, priority: 7 },
            { name: 'start', test: start, priority: 6 },
            { name: 'forms', test: /web\/src\/(forms\/(form|fields)|ui\/form)\.tsx?$/, priority: 4 },
            { name: 'pager', test: /web\/src\/(ui\/lists\/(pager|opened-row|said)|save-file)\.tsx?$/, priority: 3 },
            { name: 'front', test: /web\/src\/pages\/entry\/sign-in/, priority: 3 },
            { name: 'entry', test: /web\/src\/pages\/entry\//, priority: 2 },
            { name: 'inside', test: /web\/src\/layout\/(signed-in|administrator)-pages/, priority: 1 },
          ],
        },
      },
    },
  },
})
