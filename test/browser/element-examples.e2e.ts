import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, type Page } from '@playwright/test'
import { build, type Plugin } from 'esbuild'
import { createServer as createViteServer } from 'vite'
import { areFrameworksInstalled, FRAMEWORKS } from '../frameworks/install.ts'
import { freePort } from '../processes/free-port.ts'
import { grantFor } from '../service/grants.ts'
import { enter, gatehouseFor, heard, productOf } from './support/product.ts'
import { test } from './support/test.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const EXAMPLES = join(ROOT, 'examples')
const ofFrameworks = createRequire(join(FRAMEWORKS, 'package.json'))

// Two of them would install the frameworks twice.
test.describe.configure({ mode: 'default' })
test.beforeAll(() => {
  test.setTimeout(300_000)
  areFrameworksInstalled()
})

for (const version of ['19', '18'] as const) {
  test(`examples/react: elements and hooks share the user and the count, without a warning of React ${version}’s strict mode`, async ({
    page,
  }) => {
    test.skip(version === '18' && !areFrameworksInstalled(), 'The packages of test/frameworks are not there.')
    const port = await freePort()
    await using place = await gatehouseFor(port)
    const cacheDir = mkdtempSync(join(tmpdir(), 'gatehouse-vite-'))
    const vite = await createViteServer({
      root: `${EXAMPLES}/react`,
      ...{ cacheDir, logLevel: 'error' },
      define: { 'import.meta.env.VITE_GATEHOUSE': JSON.stringify(place.gatehouse.url) },
      server: { port, host: '127.0.0.1', strictPort: true, fs: { allow: [ROOT] } },
      ...(version === '18' && { resolve: { alias: REACT_18 } }),
    })
    await vite.listen()
    const said = heard(page)
    const url = `http://127.0.0.1:${port}/`

    await page.goto(url)
    await expect(page.getByRole('button', { name: 'Sign in to begin' })).toBeVisible()
    await enter(page, place.ann, place.gatehouse.url)
    await page.reload()
    await useProduct(page)
    await page.getByRole('button', { name: 'I like it' }).click()
    await expect(page.getByText('Thank you!')).toBeVisible()
    await signOut(page)
    await expect(page.getByRole('button', { name: 'Sign in to begin' })).toBeVisible()

    const { body } = await place.administrator.post('/api/admin/list_feedbacks')
    expect(body.items).toMatchObject([{ type: 'praise', context: { page: url } }])
    expect(said).toEqual([])
    const served = globSync(`${cacheDir}/**/*.js`).map((file) => readFileSync(file, 'utf8'))
    expect(served.some((text) => new RegExp(`version = ['"]${version}\\.`, 'i').test(text))).toBe(true)
    await vite.close()
    rmSync(cacheDir, { recursive: true })
  })
}

test('examples/next: the server knows the caller, and what it renders becomes live in the browser', async ({
  page,
}) => {
  test.skip(!areFrameworksInstalled(), 'The packages of test/frameworks are not there.')
  test.setTimeout(180_000)
  const port = await freePort()
  await using place = await gatehouseFor(port)
  await using next = await startNext(port, place.gatehouse.url)
  const said = heard(page)

  // Next.js compiles the page when it is requested.
  await page.goto(next.url, { timeout: 120_000 })
  await expect(page.getByRole('link', { name: 'Sign in to begin' })).toHaveAttribute(
    'href',
    `${place.gatehouse.url}/sign-in?${new URLSearchParams({ return_to: next.url })}`,
  )
  await enter(page, place.ann, place.gatehouse.url)
  const html = await (await page.request.get(next.url)).text()
  await page.reload()
  await useProduct(page)
  await signOut(page)
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible()

  expect(html.includes(`<gatehouse-notifications server="${place.gatehouse.url}">`)).toBe(true)
  expect(html.includes(`<h1>Hello, <!-- -->${place.ann.email}</h1>`)).toBe(true)
  expect(said).toEqual([])
})

for (const [name, entry] of [
  ['Vue', `import { createApp } from 'vue'; import App from './App.vue'; createApp(App).mount('#app')`],
  [
    'Svelte',
    `import { mount } from 'svelte'; import App from './App.svelte'; mount(App, { target: document.getElementById('app') })`,
  ],
] as const) {
  test(`${name}: the component in docs/elements.md has the menu, the bell with a token, and hears the events`, async ({
    page,
  }) => {
    test.skip(!areFrameworksInstalled(), 'The packages of test/frameworks are not there.')
    const port = await freePort()
    const component = fenced(name.toLowerCase())
    await using place = await productOf(port, async ({ gatehouse, ann }) => ({
      '/': `<!doctype html><title>Product</title><div id="app"></div><script type="module" src="/app.js"></script>
        <script type="module" src="${gatehouse.url}/elements.js"></script>`,
      '/app.js': await bundled(entry, component),
      '/my-token': (await grantFor(ann, ...SCOPES)).tokens.access_token,
    }))
    const said = heard(page)

    await page.goto(place.url)
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
    await expect(page.getByRole('heading', { name: 'News' })).toBeVisible()
    await page.getByRole('button', { name: /Your account/ }).click()
    await expect(page.getByRole('link', { name: 'Billing' })).toBeVisible()
    await expect(page.getByText('Signed in', { exact: true })).toBeVisible()

    expect(said).toEqual([])
  })
}

async function useProduct(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { name: /^Hello, / })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Notifications, 1 unread' })).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: 'News' })).toBeVisible()
  await page.getByRole('button', { name: 'I have read them' }).click()
  await expect(page.getByText('0 unread')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Notifications', exact: true })).toBeVisible()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Your account/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
}

const REACT_18 = [
  { find: /^react(?=\/|$)/, replacement: join(FRAMEWORKS, 'node_modules/react-18') },
  { find: /^react-dom(?=\/|$)/, replacement: join(FRAMEWORKS, 'node_modules/react-dom-18') },
]

/** `next dev`, which says what a build would hide: warnings of strict mode, and where server and browser differ. */
async function startNext(port: number, gatehouse: string) {
  const folder = mkdtempSync(join(FRAMEWORKS, '.app-'))
  cpSync(join(EXAMPLES, 'next'), folder, { recursive: true })
  for (const part of ['package.json', 'dist/packages']) {
    cpSync(join(ROOT, part), join(folder, 'node_modules/gatehouse', part), { recursive: true })
  }
  writeFileSync(
    join(folder, 'next.config.mjs'),
    `export default { turbopack: { root: ${JSON.stringify(FRAMEWORKS)} } }`,
  )
  const url = `http://127.0.0.1:${port}/`
  const program = ofFrameworks.resolve('next/dist/bin/next')
  const child = spawn(process.execPath, [program, 'dev', '--hostname', '127.0.0.1', '--port', String(port)], {
    cwd: folder,
    env: {
      ...process.env,
      ...{ GATEHOUSE: gatehouse, APP_URL: url, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: undefined },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text) => String(text).includes('Ready') && resolve())
    child.once('exit', () => reject(new Error('next dev has ended')))
  })
  return {
    url,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const SCOPES = ['account:profile:read', 'operations:notifications:read', 'operations:notifications:write']

const guide = readFileSync(join(ROOT, 'docs/elements.md'), 'utf8')

function fenced(language: string): string {
  const [, code] = guide.match(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``)) ?? []
  if (code === undefined) throw new Error(`docs/elements.md has no ${language}`)
  return code
}

async function bundled(entry: string, component: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: FRAMEWORKS },
    ...{ bundle: true, format: 'esm', write: false, conditions: ['browser', 'development'] },
    define: {
      'process.env.NODE_ENV': '"development"',
      ...{ __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false' },
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    plugins: [compiling(component)],
  })
  return outputFiles[0]?.text ?? ''
}

interface VueCompiler {
  parse(source: string, options: object): { readonly descriptor: object }
  compileScript(descriptor: object, options: object): { readonly content: string }
}

interface SvelteCompiler {
  compile(source: string, options: object): { readonly js: { readonly code: string } }
}

/** Compiles with the framework's compiler, as its own plugins do. */
function compiling(component: string): Plugin {
  return {
    name: 'component',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /App\.(vue|svelte)$/ }, ({ path }) => ({ path, namespace: 'component' }))
      onLoad({ filter: /.*/, namespace: 'component' }, ({ path }) => ({
        contents: path.endsWith('.vue') ? compiledVue(component) : compiledSvelte(component),
        resolveDir: FRAMEWORKS,
      }))
    },
  }
}

function compiledVue(source: string): string {
  const { parse, compileScript }: VueCompiler = ofFrameworks('vue/compiler-sfc')
  const compilerOptions = { isCustomElement: (tag: string) => tag.startsWith('gatehouse-') }
  const { descriptor } = parse(source, { templateParseOptions: compilerOptions })
  const options = { id: 'app', inlineTemplate: true, templateOptions: { compilerOptions } }
  return compileScript(descriptor, options).content
}

function compiledSvelte(source: string): string {
  const { compile }: SvelteCompiler = ofFrameworks('svelte/compiler')
  return compile(source, { dev: true, filename: 'App.svelte' }).js.code
}
