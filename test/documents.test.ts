import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

const FOLDERS = [
  'src',
  'client',
  'packages',
  'web',
  'test',
  'bench',
  'scripts',
  'bin',
  'deploy',
  'docs',
  '.ci',
]
/** Not in the repository: made by the program or the build. */
const MADE = new Set(['bench/results/'])

/** Names that the documents quote from React and from the plugins of Better Auth's client. */
const ELSEWHERE = new Set(['dangerouslySetInnerHTML', 'emailOTP'])

const files = FOLDERS.flatMap(filesIn)
const documents = [...namesEnding(readdirSync(root), '.md'), ...namesEnding(files, '.md')]
const sources = files.filter((file) => /\.(ts|tsx|mjs)$/.test(file))

describe('the documents', () => {
  it('name only files and folders that exist', () => {
    const missing = documents.flatMap((document) =>
      quotedIn(withoutCode(textOf(document)))
        .filter((name) => looksLikeOurs(name) && !MADE.has(name) && !existsSync(join(root, name)))
        .map((name) => `${document}: ${name}`),
    )

    assert.deepEqual(missing, [])
  })

  it('name only source files that exist, also if they give only the end of a path', () => {
    const missing = documents.flatMap((document) =>
      quotedIn(withoutCode(textOf(document)))
        .filter((name) => looksLikeSource(name) && !isOurs(name))
        .map((name) => `${document}: ${name}`),
    )

    assert.deepEqual(missing, [])
  })

  it('name only functions and values that the code has', () => {
    const code = sources.filter((file) => file !== 'test/documents.test.ts')
    const words = new Set(code.flatMap((file) => textOf(file).match(/\w+/g) ?? []))

    const missing = documents.flatMap((document) =>
      quotedIn(textOf(document))
        .filter((name) => /^[a-z]+[A-Z]\w*$/.test(name) && !words.has(name) && !ELSEWHERE.has(name))
        .map((name) => `${document}: ${name}`),
    )

    assert.deepEqual(missing, [])
  })

  it('cite only sections, rules and checklist lines that exist', () => {
    const specification = textOf('docs/specification.md')
    const checklist = textOf('docs/checklist.md')
    const sections = numbersIn(specification, /^## (\d+)\. /gm)
    const lines = numbersIn(checklist, /^(\d+)\. /gm)

    const rules = numbersIn(specification, /^- \*\*Rule (\d+)\./gm)
    const emailRules = numbersIn(specification, /^- \*\*Email rule (\d+)\./gm)

    const strays = [...documents, ...sources].flatMap((file) => {
      const text = textOf(file)
      return [
        ...[...text.matchAll(/section (\d+) of `docs\/specification/g)].filter(([, n]) => !sections.has(n)),
        ...[...text.matchAll(/checklist (\d+)/g)].filter(([, n]) => !lines.has(n)),
        ...[...text.matchAll(/\bemail rule (\d+)/gi)].filter(([, n]) => !emailRules.has(n)),
        ...[...text.matchAll(/(?<!email )\brules? (\d+)/gi)].filter(([, n]) => !rules.has(n)),
      ].map(([citation]) => `${file}: ${citation}`)
    })

    assert.deepEqual(strays, [])
  })
})

describe('the glossary', () => {
  it('explains only types that the code declares', () => {
    const code = sources.map(textOf).join('\n')
    const names = [
      ...textOf('docs/glossary.md').matchAll(/\*\*([A-Z][a-z]+[A-Z]\w*|Engine|Refusal|Exchange|Person)\*\*/g),
    ]

    const gone = names
      .map(([, name = '']) => name)
      .filter((name) => !new RegExp(`\\b(?:class|interface|type) ${name}\\b`).test(code))

    assert.ok(names.length > 0)
    assert.deepEqual(gone, [])
  })
})

describe('the specification', () => {
  it('calls nothing missing that exists: take it off the list', () => {
    const [, list = ''] = /not built yet:\*\*([\s\S]*?)\n\n/.exec(textOf('docs/specification.md')) ?? []
    const code = sources.filter((file) => file.startsWith('src/')).map(textOf)

    const built = quotedIn(list).filter(
      (name) => name.includes('_') && code.some((text) => text.includes(name)),
    )

    assert.deepEqual(built, [])
  })
})

describe('comments in the code', () => {
  it('name only files that exist', () => {
    const missing = sources.flatMap((source) =>
      commentsOf(textOf(source))
        .flatMap(quotedIn)
        .filter((name) => looksLikeSource(name) && !isOurs(name))
        .map((name) => `${source}: ${name}`),
    )

    assert.deepEqual(missing, [])
  })
})

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length))
}

function namesEnding(names: readonly string[], ending: string): readonly string[] {
  return names.filter((name) => name.endsWith(ending))
}

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/** Examples in blocks name files of other machines. */
function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '')
}

function quotedIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`\s]+)`/g)].map(([, quoted = '']) => quoted)
}

function looksLikeOurs(name: string): boolean {
  const [folder = ''] = name.split('/', 1)
  if (FOLDERS.includes(folder)) return /^[\w.-]+\/[\w./-]*$/.test(name)
  return /^[A-Z]+\.md$/.test(name) || ['package.json', 'biome.json', 'package-lock.json'].includes(name)
}

function looksLikeSource(name: string): boolean {
  return /^[\w./-]+\/[\w.-]+\.(ts|tsx|mjs|md)$/.test(name)
}

function isOurs(name: string): boolean {
  return files.some((file) => `/${file}`.endsWith(`/${name}`))
}

function commentsOf(source: string): readonly string[] {
  return source.match(/\/\*[\s\S]*?\*\/|\/\/.*$/gm) ?? []
}

function numbersIn(text: string, pattern: RegExp): ReadonlySet<string | undefined> {
  return new Set([...text.matchAll(pattern)].map(([, number]) => number))
}
