import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { issuesOf } from '../../../../http/requests/unknown-fields.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { fileFaultOf } from '../../../../rules/file-fault.ts'
import type { Doer } from '../../acts/acts.ts'
import { Picture } from '../brand/look/picture-file.ts'
import { type Flat, flat } from '../documents.ts'
import { forEachPart, type Part, parts, type Settings, settingsParts } from '../model.ts'
import type { WireField } from '../parts/fields.ts'
import type { PartRules } from '../parts/part.ts'
import { changedPart, issuesOfSave, withFields } from '../saving/changed-part.ts'
import { partsSave } from '../saving/saving.ts'
import { openSettingIfOurs, sealedName } from '../secrets.ts'
import { type Difference, differenceOf, type Planned, refused } from './section.ts'

/** A value that is not in the file: a secret, or the logo as the bytes of a file. */
export const Reference = z
  .string()
  .regex(/^(keep|remove|env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/, 'Write "keep", "remove", "env:NAME" or "file:PATH".')
  .optional()

export const PartsOfFile = forEachPart((part) => {
  const fields = settingsParts[part].wire.map(({ name, sent, change }) => [name, change ? Reference : sent.optional()])
  return z.strictObject(Object.fromEntries(fields)).optional()
})
type PartsOfFile = Readonly<Partial<Record<Part, Flat | undefined>>>
export type Environment = Readonly<Record<string, string | undefined>>

/** Everything but secrets: for these, the file says that the stored ones are kept. */
export function partsAsFile(settings: Settings) {
  return forEachPart((part) => {
    const values = flat(part, settings[part])
    return Object.fromEntries(
      settingsParts[part].wire.map(({ name, change }) => [name, change ? 'keep' : values[name]]),
    )
  })
}

interface PlannedParts extends Planned {
  /** By part, and then by field. */
  readonly secrets: Partial<Record<Part, Record<string, string>>>
}

/** Saves all parts that change at once. */
export async function planParts(
  doer: Doer,
  now: Settings,
  file: PartsOfFile,
  environment: Environment,
): Promise<PlannedParts> {
  const { differences, changes, secrets } = await changesOf(doer.platform, now, file, environment)
  const save = changes.length > 0 ? await partsSave(doer, now, changes) : undefined
  return { differences, secrets, write: (act) => save?.write(act) }
}

async function changesOf(platform: Platform, now: Settings, file: PartsOfFile, environment: Environment) {
  const differences: Difference[] = []
  const sent = new Map<Part, Record<string, unknown>>()
  const secrets: Partial<Record<Part, Record<string, string>>> = {}
  for (const part of parts)
    for (const field of settingsParts[part].wire) {
      const wanted = file[part]?.[field.name]
      if (wanted === undefined) continue
      const change = await changeOf(platform, part, field, flat(part, now[part])[field.name], wanted, environment)
      if (!change) continue
      differences.push({ path: `${part}.${field.name}`, words: change.words })
      sent.set(part, { ...sent.get(part), [field.name]: change.value })
    }
  for (const [part, fields] of sent) {
    const made = madeSecrets(part, now, fields, file[part])
    if (Object.keys(made).length > 0) secrets[part] = made
    differences.push(...Object.keys(made).map((name) => ({ path: `${part}.${name}`, words: IS_MADE })))
  }
  const after: { -readonly [K in keyof Settings]: Settings[K] } = { ...now }
  for (const [part, fields] of sent)
    Object.assign(after, { [part]: changedPart(platform, now, part, await valid(part, fields)) })
  for (const [part, fields] of sent) refuseFaults(platform, { part, fields: Object.keys(fields), before: now, after })
  const changes = [...sent].map(([part, fields]) => ({
    part,
    document: after[part],
    fields: Object.keys(fields),
  }))
  return { differences, changes, secrets }
}

function refuseFaults(platform: Platform, save: Parameters<typeof issuesOfSave>[1]): void {
  const [issue] = issuesOfSave(platform, save)
  if (issue) throw refused(`${save.part}.${issue.path}`, issue.message)
}

const IS_MADE = 'is made; or write "env:NAME" or "file:PATH" for a secret that your back end has'

/** The secrets that the save would make are sent with it, so that their text is known. One that is removed is not made. */
function madeSecrets(part: Part, now: Settings, sent: Record<string, unknown>, file: Flat = {}) {
  const { madeSecrets: made = () => ({}), secretIn = String }: PartRules = settingsParts[part]
  const missing = Object.entries(made(flat(part, now[part]), sent)).filter(([name]) => sent[name] === undefined)
  const secrets: Record<string, string> = {}
  for (const [name, text] of missing) {
    const value = secretIn(text)
    if (file[name] === 'remove') sent[name] = { action: 'remove' }
    else [sent[name], secrets[name]] = [{ action: 'replace', value }, value]
  }
  return secrets
}

async function changeOf(
  platform: Platform,
  part: Part,
  { name, change, whole }: WireField,
  now: unknown,
  sent: unknown,
  environment: Environment,
) {
  const wanted = whole ? withFields(now, sent) : sent
  if (change === undefined) {
    if (isDeepStrictEqual(now, wanted)) return undefined
    return { value: wanted, words: differenceOf(name, now, wanted).words }
  }
  const reference = String(wanted)
  if (reference === 'keep') return undefined
  const current = change === 'picture' ? (Picture.safeParse(now).data?.data ?? '') : opened(platform, part, name, now)
  if (reference === 'remove') return current === '' ? undefined : { value: { action: 'remove' }, words: 'is removed' }
  const value = await textOf(`${part}.${name}`, reference, change, environment)
  if (value === current) return undefined
  return {
    value: { action: 'replace', value },
    words: current === '' ? `is set from ${reference}` : `is replaced from ${reference}`,
  }
}

export async function textOf(
  path: string,
  reference: string,
  change: WireField['change'],
  environment: Environment,
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
    throw refused(path, error instanceof Error ? (fileFaultOf(error) ?? error.message) : String(error))
  })
  if (bytes.length === 0) throw refused(path, `${place} is empty`)
  if (change === 'picture') return bytes.toString('base64')
  if (!isUtf8(bytes)) throw refused(path, `${place} is not in UTF-8`)
  const text = bytes.toString('utf8').replace(/\r?\n$/, '')
  if (text === '') throw refused(path, `${place} is empty`)
  return text
}

/** Undefined for a secret sealed under another key, so every value in the file differs from it. */
function opened(platform: Platform, part: Part, field: string, sealed: unknown): string | undefined {
  const { secretIn = String }: PartRules = settingsParts[part]
  const text = openSettingIfOurs(platform, sealedName(part, field), String(sealed))
  return text === undefined ? undefined : secretIn(text)
}

/** The version is not compared: the whole save is refused if anything was saved since it was read. */
async function valid(part: Part, fields: Flat): Promise<Flat> {
  const update: z.ZodType<Flat> = settingsParts[part].update
  const { success, data, error } = await update.safeParseAsync({ ...fields, expected_version: 1 })
  if (success) return data
  const [issue] = error.issues.flatMap(issuesOf)
  throw refused(`${part}.${issue?.path ?? ''}`, issue?.message ?? 'is not valid')
}
