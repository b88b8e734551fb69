import { z } from 'zod'
import { ApplicationOfFile } from '../../features/access/applications/input.ts'
import { DeclaredScope } from '../../features/access/product-scopes/product-scopes.ts'
import { WebhookOfFile } from '../../features/delivery/webhooks/input.ts'
import { PartsOfFile } from '../../features/ground/settings/as-code/parts.ts'
import { refused } from '../../features/ground/settings/as-code/section.ts'
import { unstorableIn } from '../../rules/unstorable.ts'

export const SettingsFile = z.strictObject({
  $schema: z.string().optional(),
  ...PartsOfFile,
  applications: z.array(ApplicationOfFile).optional(),
  product_scopes: z.array(z.strictObject(DeclaredScope.shape)).optional(),
  webhooks: z.array(WebhookOfFile).optional(),
})
export type SettingsFile = z.output<typeof SettingsFile>

export async function parseSettingsFile(text: string): Promise<SettingsFile> {
  const json = jsonOf(text)
  for (const { path, message } of unstorableIn(json)) throw refused(path, message)
  const { success, data, error } = await SettingsFile.safeParseAsync(json)
  if (success) return data
  const [issue] = error.issues
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  throw refused([...named(json, issue?.path ?? []), ...unknown].join('.'), issue?.message ?? 'is not valid')
}

/** An entry of a list is named by its key, if it has one, as the plan names it. */
function named(json: unknown, [section, place, ...rest]: readonly PropertyKey[]): readonly string[] {
  if (section === undefined || place === undefined) return section === undefined ? [] : [String(section)]
  const { success, data } = Entries.safeParse(json)
  const { key, scope } = (success ? data[String(section)]?.[Number(place)] : undefined) ?? {}
  return [section, key ?? scope ?? place, ...rest].map(String)
}

const Entry = z.object({ key: z.string().optional(), scope: z.string().optional() }).catch({})
const Entries = z.record(z.string(), z.array(Entry).catch([]))

function jsonOf(text: string): unknown {
  try {
    // Editors on Windows begin a file with a byte order mark.
    const json: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    refuseUnclear(text)
    return json
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw refused('', error.message)
  }
}

const STRINGS_AND_BRACKETS = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]/g
/** More than any valid file has; what checks the parsed value goes down level by level. */
const MOST_LEVELS = 32

/** The text must be valid JSON. `JSON.parse` silently keeps the last of several equal keys. */
function refuseUnclear(text: string): void {
  const levels: Set<string>[] = []
  for (const { 0: token, 1: colon, index } of text.matchAll(STRINGS_AND_BRACKETS)) {
    if (token === '{' || token === '[') levels.push(new Set())
    else if (token === '}' || token === ']') levels.pop()
    if (levels.length > MOST_LEVELS)
      throw refused(`line ${lineAt(text, index)}`, `is nested deeper than ${MOST_LEVELS} levels.`)
    if (colon === undefined) continue
    const key: string = JSON.parse(token.slice(0, -colon.length))
    if (levels.at(-1)?.has(key)) throw refused(`line ${lineAt(text, index)}`, `"${key}" is there twice.`)
    levels.at(-1)?.add(key)
  }
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
