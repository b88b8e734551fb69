import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { StoreUnavailable } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { OperatorError } from '../../../rules/operator-error.ts'
import { unstorableIn } from '../../../rules/unstorable.ts'
import type { Actor } from '../audit/audit.ts'
import { UpdateBrand } from './brand/input.ts'
import { readSettings } from './current-settings.ts'
import { authenticationConfig } from './documents.ts'
import { UpdateAi, UpdateAssistants, UpdateAuthentication, UpdateCredits, UpdateEmail } from './input.ts'
import { type Part, parts, type Settings } from './model.ts'
import {
  changedAi,
  changedAssistants,
  changedAuthentication,
  changedBrand,
  changedCredits,
  changedEmail,
} from './saving/changed-parts.ts'
import { issuesOfSave } from './saving/checks.ts'
import { saveParts } from './saving/saving.ts'
import { openSetting, type SettingsSecret, secretsIn } from './secrets.ts'

/** A value that is not in the file: a secret, or the logo as the bytes of a file. */
const Reference = z
  .string()
  .regex(/^(keep|remove|env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/, 'Write "keep", "remove", "env:NAME" or "file:PATH".')
  .optional()

const REFERENCES = {
  authentication: {
    provider_a_client_secret: Reference,
    provider_b_client_secret: Reference,
    community_client_secret: Reference,
  },
  email: { api_key: Reference, smtp_password: Reference },
  credits: {},
  ai: { api_key: Reference },
  brand: { logo: Reference },
  assistants: {},
} as const satisfies Record<Part, object>

const version = { expected_version: true } as const

export const SettingsFile = z.strictObject({
  $schema: z.string().optional(),
  authentication: z
    .strictObject({ ...UpdateAuthentication.omit(version).shape, ...REFERENCES.authentication })
    .optional(),
  email: z.strictObject({ ...UpdateEmail.omit(version).shape, ...REFERENCES.email }).optional(),
  credits: z.strictObject({ ...UpdateCredits.omit(version).shape, ...REFERENCES.credits }).optional(),
  ai: z.strictObject({ ...UpdateAi.omit(version).shape, ...REFERENCES.ai }).optional(),
  assistants: z.strictObject(UpdateAssistants.omit(version).shape).optional(),
  brand: z.strictObject({ ...UpdateBrand.omit(version).shape, ...REFERENCES.brand }).optional(),
})
export type SettingsFile = z.output<typeof SettingsFile>

const SCHEMA = './settings.schema.json'

export interface Difference {
  readonly path: string
  /** A secret shows only that it changes. */
  readonly words: string
}

type Fields = Readonly<Record<string, unknown>>
type Flat = ReadonlyMap<Part, Fields>

/** Exports everything but secrets: a secret in the file says that the stored one is kept. */
export async function settingsAsFile(platform: Platform): Promise<SettingsFile> {
  const flat = flatOf(platform, await readSettings(platform.meta))
  const file = parts.map((part) => [
    part,
    { ...flat.get(part), ...Object.fromEntries(Object.keys(REFERENCES[part]).map((name) => [name, 'keep'])) },
  ])
  return SettingsFile.parseAsync({ $schema: SCHEMA, ...Object.fromEntries(file) })
}

export async function parseSettingsFile(text: string): Promise<SettingsFile> {
  const json = jsonOf(text)
  for (const { path, message } of unstorableIn(json)) throw refused(path, message)
  const { success, data, error } = await SettingsFile.safeParseAsync(json)
  if (success) return data
  const [issue] = error.issues
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  throw refused([...(issue?.path ?? []), ...unknown].join('.'), issue?.message ?? 'is not valid')
}

/** The changes a save of the file would make. Throws if it could not be saved. */
export async function planSettings(
  platform: Platform,
  file: SettingsFile,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly Difference[]> {
  return (await planned(platform, await readSettings(platform.meta), file, environment)).differences
}

// Each further turn needs another save in between.
const TURNS = 20

/** One save of all parts that change. */
export async function applySettings(
  platform: Platform,
  actor: Actor,
  file: SettingsFile,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly Difference[]> {
  for (let turn = 1; turn <= TURNS; turn++) {
    const loaded = await readSettings(platform.meta)
    const { differences, changes } = await planned(platform, loaded, file, environment)
    if (changes.length === 0) return []
    if (await saveParts(platform, actor, loaded, changes)) return differences
  }
  throw new StoreUnavailable(platform.meta.name)
}

async function planned(
  platform: Platform,
  now: Settings,
  file: SettingsFile,
  environment: Readonly<Record<string, string | undefined>>,
) {
  const current = flatOf(platform, now)
  const differences: Difference[] = []
  const sent = new Map<Part, Record<string, unknown>>()
  for (const part of parts)
    for (const [name, value] of Object.entries(file[part] ?? {})) {
      const path = `${part}.${name}`
      const isReference = name in REFERENCES[part]
      const change = isReference
        ? await referred(platform, now, path, String(value), environment)
        : changeOf(current.get(part)?.[name], value)
      if (!change) continue
      differences.push({ path, words: change.words })
      sent.set(part, { ...sent.get(part), [name]: change.value })
    }
  const after: { -readonly [K in keyof Settings]: Settings[K] } = { ...now }
  for (const [part, fields] of sent) Object.assign(after, await changedPart(platform, now, part, fields))
  for (const [part, fields] of sent) {
    const [issue] = issuesOfSave(platform, { part, fields: Object.keys(fields), before: now, after })
    if (issue) throw refused(`${part}.${issue.path}`, issue.message)
  }
  const changes = [...sent].map(([part, fields]) => ({
    part,
    document: after[part],
    fields: Object.keys(fields),
  }))
  return { differences, changes }
}

function changeOf(from: unknown, to: unknown) {
  if (to === undefined || isDeepStrictEqual(from, to)) return undefined
  return { value: to, words: `${JSON.stringify(from)} -> ${JSON.stringify(to)}` }
}

async function referred(
  platform: Platform,
  now: Settings,
  path: string,
  reference: string,
  environment: Readonly<Record<string, string | undefined>>,
) {
  if (reference === 'keep') return undefined
  const current = currentSecret(platform, now, path)
  if (reference === 'remove') return current === '' ? undefined : { value: { action: 'remove' }, words: 'is removed' }
  const value = await textOf(path, reference, environment)
  if (value === current) return undefined
  return {
    value: { action: 'replace', value },
    words: current === '' ? `is set from ${reference}` : `is replaced from ${reference}`,
  }
}

async function textOf(
  path: string,
  reference: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const [kind = '', place = ''] = [
    reference.slice(0, reference.indexOf(':')),
    reference.slice(reference.indexOf(':') + 1),
  ]
  if (kind === 'env') {
    const value = Object.hasOwn(environment, place) ? environment[place] : undefined
    if (!value) throw refused(path, `the variable ${place} is not set`)
    return value
  }
  const bytes = await readFile(place).catch((error: unknown) => {
    throw refused(path, `${place} cannot be read (${error instanceof Error ? error.message : error})`)
  })
  if (bytes.length === 0) throw refused(path, `${place} is empty`)
  if (path === 'brand.logo') return bytes.toString('base64')
  if (!isUtf8(bytes)) throw refused(path, `${place} is not in UTF-8`)
  const text = bytes.toString('utf8').replace(/\r?\n$/, '')
  if (text === '') throw refused(path, `${place} is empty`)
  return text
}

/** Undefined if it cannot be opened: then whatever is written is another one. */
function currentSecret(platform: Platform, now: Settings, path: string): string | undefined {
  if (path === 'brand.logo') return now.brand.logo?.data ?? ''
  const name = sealedNameOf(path)
  try {
    return openSetting(platform, name, secretsIn(now)[name]) ?? ''
  } catch {
    return undefined
  }
}

/** Every path of `REFERENCES` but the logo is that of a secret. */
function sealedNameOf(path: string): SettingsSecret {
  return path.replace('authentication.', '').replace('.', '_') as SettingsSecret
}

/** Named as on the wire. */
function flatOf(platform: Platform, settings: Settings): Flat {
  const all = { ...settings, authentication: authenticationConfig(platform, settings) }
  const flat = parts.map((part) => {
    const names = Object.keys(SettingsFile.shape[part].unwrap().shape)
    const shown = Object.entries(all[part]).filter(([name]) => names.includes(name) && !(name in REFERENCES[part]))
    return [part, Object.fromEntries(shown)] as const
  })
  return new Map(flat)
}

/** The version is not compared: the whole save is refused if anything was saved since it was read. */
async function changedPart(platform: Platform, now: Settings, part: Part, fields: Fields): Promise<Partial<Settings>> {
  const sent = { ...fields, expected_version: 1 }
  switch (part) {
    case 'authentication':
      return {
        authentication: changedAuthentication(platform, now, await valid(part, UpdateAuthentication, sent)),
      }
    case 'email':
      return { email: changedEmail(platform, now, await valid(part, UpdateEmail, sent)) }
    case 'credits':
      return { credits: changedCredits(platform, now, await valid(part, UpdateCredits, sent)) }
    case 'ai':
      return { ai: changedAi(platform, now, await valid(part, UpdateAi, sent)) }
    case 'assistants':
      return { assistants: changedAssistants(platform, now, await valid(part, UpdateAssistants, sent)) }
    case 'brand':
      return { brand: changedBrand(platform, now, await valid(part, UpdateBrand, sent)) }
  }
}

async function valid<Schema extends z.ZodType>(part: Part, schema: Schema, sent: unknown): Promise<z.output<Schema>> {
  const { success, data, error } = await schema.safeParseAsync(sent)
  if (success) return data
  const [issue] = error.issues
  throw refused(`${part}.${issue?.path[0]?.toString() ?? ''}`, issue?.message ?? 'is not valid')
}

function jsonOf(text: string): unknown {
  try {
    // Editors on Windows begin a file with this mark.
    const json: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    refuseRepeatedKeys(text)
    return json
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw refused('', error.message)
  }
}

const STRINGS_AND_BRACES = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}]/g

/** Only for valid JSON, of which `JSON.parse` silently keeps the last of several equal keys. */
function refuseRepeatedKeys(text: string): void {
  const objects: Set<string>[] = []
  for (const { 0: token, 1: colon, index } of text.matchAll(STRINGS_AND_BRACES)) {
    if (token === '{') objects.push(new Set())
    else if (token === '}') objects.pop()
    if (colon === undefined) continue
    const key: string = JSON.parse(token.slice(0, -colon.length))
    if (objects.at(-1)?.has(key)) throw refused(`line ${lineAt(text, index)}`, `"${key}" is there twice.`)
    objects.at(-1)?.add(key)
  }
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

function refused(path: string, message: string): OperatorError {
  return new OperatorError(path === '' ? message : `${path}: ${message}`)
}
