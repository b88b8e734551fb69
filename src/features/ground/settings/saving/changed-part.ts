import { z } from 'zod'
import type { Platform } from '../../../../platform/platform.ts'
import type { Issue } from '../../../../rules/refusal.ts'
import { logoOf } from '../brand/logo.ts'
import { type Flat, flat, nested } from '../documents.ts'
import { type Documents, type Part, type Settings, settingsParts } from '../model.ts'
import { changeTo, type WireField } from '../parts/fields.ts'
import type { PartRules } from '../parts/part.ts'
import { sealedName, sealSetting } from '../secrets.ts'

const Change = changeTo(z.string())

/** The whole new part: fields that were not sent stay as they are. */
export function changedPart<P extends Part>(platform: Platform, now: Settings, part: P, sent: Flat): Documents[P] {
  const { wire, base = (values: Flat) => values }: PartRules = settingsParts[part]
  const former = base(flat(part, now[part]), sent)
  const after = wire.map((field) => [field.name, changedField(platform, part, field, former, sent)])
  return nested(part, Object.fromEntries(after))
}

function changedField(platform: Platform, part: Part, { name, change }: WireField, former: Flat, sent: Flat): unknown {
  if (sent[name] === undefined) return former[name]
  if (change === undefined) return sent[name]
  const requested = Change.parse(sent[name])
  switch (requested.action) {
    case 'keep':
      return former[name]
    case 'replace':
      return change === 'picture'
        ? logoOf(requested.value)
        : sealSetting(platform, sealedName(part, name), requested.value)
    case 'remove':
      return change === 'picture' ? null : ''
  }
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
  return issues(after).filter(({ path }) => fields.includes(path) || !known.includes(path))
}
