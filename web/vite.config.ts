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

/** Built beside the pages of this service and without their code: a small script, and what it loads later. */
function productElements(): Plugin {
  return {
    name: 'product-elements',
    apply: 'build',
    async closeBundle() {
      const later = await builtElements('elements', 'elements-later.js')
      const version = createHash('sha256').update(later).digest('base64url').slice(0, 22)
      await builtElements('main', 'elements.js', { VERSION: JSON.stringify(version) })
    },
  }
}

async function builtElements(entry: string, name: string, define = {}): Promise<Buffer> {
  const outfile = `${dist}${name}`
  const options = { bundle: true, minify: true, format: 'esm', target: 'es2022' } as const
  await build({ entryPoints: [`${elements}${entry}.ts`], outfile, define, ...options })
  const built = readFileSync(outfile)
  writeFileSync(`${outfile}.br`, brotliCompressSync(built))
  return built
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
            { name: 'start', test: /web\/src\/(main\.tsx|texts\/en\/plural)/, priority: 6 },
            { name: 'front', test: /web\/src\/pages\/entry\/sign-in/, priority: 3 },
            { name: 'entry', test: /web\/src\/pages\/entry\//, priority: 2 },
            { name: 'inside', test: /web\/src\/layout\/(signed-in|administrator)-pages/, priority: 1 },
          ],
        },
      },
    },
  },
})
