import { z } from 'zod'
import type { Platform } from '../../../../platform/platform.ts'
import { given } from '../../../../rules/given.ts'
import type { Issue } from '../../../../rules/refusal.ts'
import { pictureOf } from '../brand/look/picture-file.ts'
import { type Flat, flat, nested } from '../documents.ts'
import { type Documents, type Part, type Settings, settingsParts } from '../model.ts'
import { changeTo, type WireField } from '../parts/fields.ts'
import type { PartRules } from '../parts/part.ts'
import { sealedName, sealSetting } from '../secrets.ts'

const Change = changeTo(z.string())

/** The whole new part: fields that were not sent stay as they are. */
export function changedPart<P extends Part>(platform: Platform, now: Settings, part: P, sent: Flat): Documents[P] {
  const { wire, base = (values: Flat) => values, madeSecrets = () => ({}) }: PartRules = settingsParts[part]
  const stored = flat(part, now[part])
  const made = Object.entries(madeSecrets(stored, sent)).map(([field, text]) => [
    field,
    sealSetting(platform, sealedName(part, field), text),
  ])
  const former = { ...base(stored, sent), ...Object.fromEntries(made) }
  const after = wire.map((field) => [field.name, changedField(platform, part, field, former, sent)])
  return nested(part, Object.fromEntries(after))
}

function changedField(
  platform: Platform,
  part: Part,
  { name, change, whole }: WireField,
  former: Flat,
  sent: Flat,
): unknown {
  if (sent[name] === undefined) return former[name]
  if (whole) return withFields(former[name], sent[name])
  if (change === undefined) return sent[name]
  const requested = Change.parse(sent[name])
  switch (requested.action) {
    case 'keep':
      return former[name]
    case 'replace':
      return change === 'picture'
        ? pictureOf(requested.value)
        : sealSetting(platform, sealedName(part, name), requested.value)
    case 'remove':
      return change === 'picture' ? null : ''
  }
}

/** An object with those of its fields that were sent. */
export function withFields(former: unknown, sent: unknown): object {
  return { ...Object(former), ...given(Object(sent)) }
}

interface Save {
  readonly part: Part
  readonly fields: readonly string[]
  readonly before: Settings
  readonly after: Settings
}

/**
 * The faults a save causes: in a value that it sends, or in one that was sound before. What a restart with other
 * deployment values has made wrong blocks no save, so that an administrator can always close registration.
 */
export function issuesOfSave(platform: Platform, { part, fields, before, after }: Save): readonly Issue[] {
  const { faults = () => [] }: PartRules = settingsParts[part]
  const issues = (settings: Settings) =>
    faults(platform, settings).flatMap(({ if: isSo, ...issue }) => (isSo ? [issue] : []))
  const known = issues(before).map(({ path }) => path)
  return issues(after).filter(({ path }) => fields.includes(path.split('.')[0] ?? '') || !known.includes(path))
}
