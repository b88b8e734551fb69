import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import {
  BROWSER_CLIENTS,
  CLIENTS,
  PROGRAMS,
  type StrangerClient,
  type StrangerProgram,
} from './journeys/strangers/clients.ts'

const LONGEST_RECIPE = 10
const LISTS = {
  npm: ['test/journeys/strangers/packages/npm/package.json', 'package.json'],
  pip: ['test/journeys/strangers/packages/pip/requirements.txt'],
  go: ['test/journeys/strangers/packages/go/go.mod'],
  maven: ['test/journeys/strangers/packages/maven/pom.xml'],
  'oauth2-proxy': ['test/journeys/strangers/packages/oauth2-proxy/go.mod'],
}
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const document = read('docs/clients.md')

describe('docs/clients.md', () => {
  it('has the table of clients as their tests have it', () => {
    const rows = [
      HEAD,
      HEAD.map(() => '---'),
      ...[...CLIENTS, ...BROWSER_CLIENTS].map(rowOf),
      ...PROGRAMS.map(programRow),
      ASSISTANT,
    ]

    const table = rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')

    assert.ok(document.replaceAll(/ +\|/g, ' |').replaceAll(/-{3,}/g, '---').includes(table), table)
  })

  it('has a recipe for each client that is part of its program and ten lines long at most', () => {
    const all = [...CLIENTS.slice(2).filter(({ version }) => version === undefined), ...BROWSER_CLIENTS, ...PROGRAMS]
    for (const { name, file } of all) {
      const [, recipe = ''] = document.split(`**${name}** (\`examples/clients/${file}\`)`)[1]?.split(/^```\w*$/m) ?? []
      const lines = linesOf(recipe)

      assert.ok(lines.length > 0 && lines.length <= LONGEST_RECIPE, `${name}: ${lines.length} lines`)
      assert.ok(
        linesOf(read(`examples/clients/${file}`))
          .join('\n')
          .includes(lines.join('\n')),
        name,
      )
    }
  })
})

describe('docs/api.md', () => {
  it('shows of each program what stands in it', () => {
    const shown = [
      ...read('docs/api.md').matchAll(/^\*\*[^*]+\*\* \(`(examples\/[^`]+)`\):\n\n```\w+\n([\s\S]*?)^```/gm),
    ]
    const strays = shown.filter(([, file = '', code = '']) => !read(file).includes(code.trimEnd()))

    assert.ok(shown.length >= 7)
    assert.deepEqual(
      strays.map(([, file]) => file),
      [],
    )
  })
})

const HEAD = ['Client', 'Version', 'Refreshes', 'What it needs']

/** Driven by `src/features/access/mcp/mcp.test.ts`. */
const ASSISTANT = ['MCP SDK, as an assistant', versionOf('npm', '@modelcontextprotocol/sdk'), 'yes', 'nothing']

function rowOf(client: StrangerClient): readonly string[] {
  const needs = [
    ...(client.callback === '/callback' ? [] : [`callback \`${client.callback}\``]),
    ...Object.entries(client.fields ?? {}).map(([field, value]) => `\`${field}: ${value}\``),
  ]
  return programRow({ ...client, needs: needs.join(', ') || 'nothing' })
}

function programRow({ name, registry, refreshes, needs, ...program }: StrangerProgram): readonly string[] {
  return [name, versionOf(registry, program.package), refreshes ? 'yes' : 'no', needs]
}

function versionOf(registry: StrangerProgram['registry'], name: string): string {
  if (registry === 'Debian') return 'Debian’s'
  const text = LISTS[registry].map(read).join('\n')
  const at = [`"${name}"`, `>${name}<`, `${name}==`, `${name} v`].map((as) => text.indexOf(as))
  const found = text.slice(Math.max(...at) + name.length)
  return /\d+\.\d+[.\d]*/.exec(found)?.[0] ?? assert.fail(`no version of ${name}`)
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
