import { readdirSync, readFileSync } from 'node:fs'
import { routes } from '../../../src/app.ts'
import type { Route } from '../../../src/http/route.ts'
import type { Person } from '../../service/people.ts'

export const declared: readonly Route[] = routes

const src = `${import.meta.dirname}/../../../src`

/** The sources of the product itself, without its tests. */
const sources: ReadonlyMap<string, string> = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!test)\.ts$/.test(file))
    .toSorted()
    .map((file) => [file, readFileSync(`${src}/${file}`, 'utf8')]),
)

export const sourcesWith = (pattern: RegExp): readonly string[] =>
  [...sources].filter(([, text]) => pattern.test(text)).map(([file]) => file)

/** The response of each to an empty body, as in `403 FORBIDDEN`. */
export async function saidByEach(
  person: Person,
  asked: readonly Pick<Route, 'method' | 'path'>[],
  headers: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>()
  for (const { method, path } of asked) {
    const { status, body } = method === 'GET' ? await person.get(path, headers) : await person.post(path, {}, headers)
    answers.set(path, `${status} ${body?.code ?? ''}`.trim())
  }
  return answers
}

export const everyOf = (asked: readonly Pick<Route, 'path'>[], answer: string) =>
  new Map(asked.map(({ path }) => [path, answer]))
