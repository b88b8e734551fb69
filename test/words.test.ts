import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { UpdateWebhook } from '../src/features/delivery/webhooks/input.ts'
import { UpdateFeedback } from '../src/features/operations/feedback/input.ts'
import { FAILURES } from '../src/platform/endpoints/failures.ts'
import { EVENT_TYPES } from '../src/rules/event-types.ts'
import { STATUS } from '../src/rules/refusal.ts'
import { ROUTE_ACTIONS, SCOPES } from '../src/rules/scopes.ts'
import { en, type Texts } from '../web/src/texts/en.ts'
import { refusalWords } from '../web/src/texts/word-of.ts'
import { zh } from '../web/src/texts/zh.ts'

/** Whatever a page can be given to say: the names, and where its words for them are. */
const NAMED: Readonly<Record<string, readonly [names: readonly string[], words: (texts: Texts) => object]>> = {
  'code that the service refuses with': [Object.keys(STATUS), refusals],
  scope: [Object.keys(SCOPES), (texts) => texts.scopes],
  'call that can wait for approval': [ROUTE_ACTIONS, (texts) => texts.approvals.actions],
  'way in which a delivery fails': [FAILURES, (texts) => texts.webhooks.failures],
  'type of event': [EVENT_TYPES, (texts) => texts.webhooks.events],
  'act of the audit log': [inSource(/action: '([a-z_]+\.[a-z_]+)'/g), (texts) => texts.audit.actions],
  'name of a fact in the audit log': [factNames(), (texts) => texts.audit.detailNames],
  'field of the settings that can be refused': [refusedSettings(), (texts) => texts.config.problems],
}

function refusals(texts: Texts): object {
  return Object.fromEntries(
    Object.keys(STATUS)
      .filter((code) => refusalWords(texts, code))
      .map((code) => [code, true]),
  )
}

describe.for(Object.entries({ English: en, Chinese: zh }))('the catalogue in %s', ([, texts]) => {
  it.for(Object.entries(NAMED))('has words for every %s', ([, [names, wordsIn]]) => {
    const words = wordsIn(texts)
    const missing = names.filter((name) => !(name in words))

    assert.ok(names.length > 0)
    assert.deepEqual(missing, [])
  })

  it('separates the thousands of every count', () => {
    const counting = countingTexts()
    const written = counting.flatMap(({ group, name, given }) =>
      functionsNamed(name, groupOf(texts, group)).map((text) => text(...given)),
    )

    assert.ok(counting.length > 0)
    assert.equal(written.length, counting.length)
    assert.deepEqual(
      written.filter((sentence) => !sentence.includes('1,234,567')),
      [],
    )
  })
})

type Sentence = (...given: readonly (number | string)[]) => string

/**
 * The sentences with a count in them, and an example of each argument. A status code and a position are not counts,
 * and seconds are told in the unit that suits them.
 */
function countingTexts() {
  const folder = `${import.meta.dirname}/../web/src/texts/en`
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const isCount = (parameter: string) => /^(?!code|index|seconds)\w+: number$/.test(parameter)
  return files.flatMap((file) => {
    let group = ''
    return readFileSync(`${folder}/${file}`, 'utf8')
      .split('\n')
      .flatMap((line) => {
        group = /^ {2}(\w+):/.exec(line)?.[1] ?? group
        const [, name = '', written = ''] = /^ {2,}(\w+): \((\w+: [^)]*)\)/.exec(line) ?? []
        const parameters = written.split(', ')
        const given = parameters.map((parameter) => (isCount(parameter) ? 1_234_567 : 'some'))
        return parameters.some(isCount) ? [{ group, name, given }] : []
      })
  })
}

const groupOf = (texts: object, group: string): object =>
  Object.fromEntries(Object.entries(texts).filter(([name]) => name === group))

function functionsNamed(wanted: string, texts: object): readonly Sentence[] {
  return Object.entries(texts).flatMap(([name, text]) => {
    if (typeof text === 'function') return name === wanted ? [text as Sentence] : []
    return typeof text === 'object' && text !== null ? functionsNamed(wanted, text) : []
  })
}

function factNames(): readonly string[] {
  const written = inSource(/\bdetails(?::| =) \{ ([^}]*)/g).flatMap((facts) =>
    facts.split(',').flatMap((fact) => /^\s*([a-z_]+)\s*(?::|$)/.exec(fact)?.[1] ?? []),
  )
  const sent = [UpdateWebhook, UpdateFeedback].flatMap(({ shape }) => Object.keys(shape))
  assert.ok(written.length > 0)
  return [...written, ...sent]
}

/** The paths of the issues; those of a provider begin with its name. */
function refusedSettings(): readonly string[] {
  const paths = inSource(/\bpath: (?:'|`\$\{provider\}_)([a-z_]+)/g, 'features/ground/settings/parts')
  assert.ok(paths.length > 0)
  return paths
}

/** What the first group of the pattern finds in the server's source. */
function inSource(pattern: RegExp, folder = ''): readonly string[] {
  const root = `${import.meta.dirname}/../src/${folder}`
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /(?<!test)\.ts$/.test(name))
  return files.flatMap((file) =>
    [...readFileSync(`${root}/${file}`, 'utf8').matchAll(pattern)].map(([, found = '']) => found),
  )
}

/** What a locator is given as a literal. */
const QUOTED = /(?:getBy(?:Text|Label)\(|name: |hasText: |label: )['"`]([^'"`]+)['"`]/g

it('the tests of the pages take their sentences from the catalogue', () => {
  const sentences = [en, zh].flatMap(sentencesOf)
  const folder = `${import.meta.dirname}/browser`
  // What stands on a product's page has words of its own.
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      name.endsWith('.e2e.ts') &&
      !/^(static-example|elements|elements-organization|element-examples|next-user|other-site|account\/several-in-product)\.e2e\.ts$/.test(
        name,
      ),
  )
  const strays = files.flatMap((file) =>
    [...readFileSync(`${folder}/${file}`, 'utf8').matchAll(QUOTED)]
      .filter(([, words = '']) => sentences.some((sentence) => sentence.startsWith(words)))
      .map(([, words]) => ({ file, words })),
  )

  assert.ok(files.length > 0)
  assert.deepEqual(strays, [])
})

/** Every sentence of the catalogue; of those with gaps, as they begin. */
function sentencesOf(texts: unknown): readonly string[] {
  if (typeof texts === 'string') return [texts]
  if (typeof texts === 'function') return [String(texts('', ''))]
  if (typeof texts === 'object' && texts !== null) return Object.values(texts).flatMap(sentencesOf)
  return []
}
