import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { UpdateFeedback } from '../../src/features/feedback/input.ts'
import { UpdateWebhook } from '../../src/features/webhooks/input.ts'
import { FAILURES } from '../../src/features/webhooks/sending/failures.ts'
import { EVENT_TYPES } from '../../src/rules/event-types.ts'
import { STATUS } from '../../src/rules/refusal.ts'
import { SCOPES } from '../../src/rules/scopes.ts'
import { en } from '../../web/src/texts/en.ts'
import { zh } from '../../web/src/texts/zh.ts'

const catalogues = { English: en, Chinese: zh }

describe('the catalogue', () => {
  for (const [language, texts] of Object.entries(catalogues)) {
    it(`has words in ${language} for every code that the service refuses with`, () => {
      const missing = Object.keys(STATUS).filter((code) => !(code in texts.failures))
      assert.deepEqual(missing, [])
    })

    it(`has words in ${language} for every scope`, () => {
      const missing = Object.keys(SCOPES).filter((scope) => !(scope in texts.scopes))
      assert.deepEqual(missing, [])
    })

    it(`has words in ${language} for every way in which a delivery fails`, () => {
      const missing = FAILURES.filter((failure) => !(failure in texts.webhooks.failures))
      assert.deepEqual(missing, [])
    })

    it(`has words in ${language} for every type of event`, () => {
      const missing = EVENT_TYPES.filter((type) => !(type in texts.webhooks.events))
      assert.deepEqual(missing, [])
    })

    it(`has words in ${language} for every act of the audit log`, () => {
      const acts = inSource(/action: '([a-z_]+\.[a-z_]+)'/g)
      const missing = acts.filter((act) => !(act in texts.audit.actions))
      assert.ok(acts.length > 0)
      assert.deepEqual(missing, [])
    })

    it(`has words in ${language} for every kind of target in the audit log`, () => {
      const kinds = inSource(/\bsubject(?:: \{ type|Type): '([a-z_]+)'/g)
      const missing = kinds.filter((kind) => !(kind in texts.audit.subjects))
      assert.ok(kinds.length > 0)
      assert.deepEqual(missing, [])
    })

    it(`has words in ${language} for the name of every fact in the audit log`, () => {
      const written = inSource(/\bdetails(?::| =) \{ ([^}]*)/g).flatMap((facts) =>
        facts.split(',').flatMap((fact) => /^\s*([a-z_]+)\s*(?::|$)/.exec(fact)?.[1] ?? []),
      )
      const sent = [UpdateWebhook, UpdateFeedback].flatMap(({ shape }) => Object.keys(shape))
      const missing = [...written, ...sent].filter((name) => !(name in texts.audit.detailNames))
      assert.ok(written.length > 0)
      assert.deepEqual(missing, [])
    })

    it(`has words in ${language} for every field of the settings that can be refused`, () => {
      const fields = refusedSettings()
      const missing = fields.filter((field) => !(field in texts.config.problems))
      assert.ok(fields.length > 0)
      assert.deepEqual(missing, [])
    })

    it(`separates the thousands of every count in ${language}`, () => {
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
  }
})

type Sentence = (...given: readonly (number | string)[]) => string

/** The sentences with a count in them, and an example of each argument. A status code and a position are not counts. */
function countingTexts() {
  const folder = `${import.meta.dirname}/../../web/src/texts/en`
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const isCount = (parameter: string) => /^(?!code|index)\w+: number$/.test(parameter)
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

/** The paths of the issues; those of a provider begin with its name. */
function refusedSettings(): readonly string[] {
  const checks = `${import.meta.dirname}/../../src/features/settings/saving/checks.ts`
  const paths = [...readFileSync(checks, 'utf8').matchAll(/path: (?:'|`\$\{provider\}_)([a-z_]+)/g)]
  return paths.map(([, field = '']) => field)
}

/** What the first group of the pattern finds in all of the server's source. */
function inSource(pattern: RegExp): readonly string[] {
  const root = `${import.meta.dirname}/../../src`
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!test)\.ts$/.test(name),
  )
  return files.flatMap((file) =>
    [...readFileSync(`${root}/${file}`, 'utf8').matchAll(pattern)].map(([, found = '']) => found),
  )
}

describe('the tests of the pages', () => {
  it('take their sentences from the catalogue', () => {
    const sentences = [en, zh].flatMap(sentencesOf)
    const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.test.ts') && name !== OF_THE_EXAMPLE,
    )
    const quoted = files.flatMap((file) =>
      [...readFileSync(`${import.meta.dirname}/${file}`, 'utf8').matchAll(QUOTED)].map(([, words = '']) => ({
        file,
        words,
      })),
    )

    const strays = quoted.filter(({ words }) => sentences.some((sentence) => sentence.startsWith(words)))

    assert.deepEqual(strays, [])
  })
})

/** That page has words of its own. */
const OF_THE_EXAMPLE = 'static-example.test.ts'

/** What a locator is given as a literal. */
const QUOTED = /(?:getBy(?:Text|Label)\(|name: |hasText: |label: )['"`]([^'"`]+)['"`]/g

/** Every sentence of the catalogue; of those with gaps, as they begin. */
function sentencesOf(texts: unknown): readonly string[] {
  if (typeof texts === 'string') return [texts]
  if (typeof texts === 'function') return [String(texts('', ''))]
  if (typeof texts === 'object' && texts !== null) return Object.values(texts).flatMap(sentencesOf)
  return []
}
