import type { Platform } from '../../../platform/platform.ts'
import { type Documents, type Part, type Settings, settingsParts } from './model.ts'
import type { PartFields } from './parts/fields.ts'
import type { PartRules } from './parts/part.ts'

/** A part by its names on the wire, where the fields of a group are prefixed with its name. */
export type Flat = Readonly<Record<string, unknown>>

export function flat(part: Part, document: Documents[Part]): Flat {
  const { groups }: PartFields = settingsParts[part].fields
  const entries = Object.entries(document).flatMap(([name, value]) =>
    groups.includes(name) ? Object.entries(value).map(([inner, text]) => [`${name}_${inner}`, text]) : [[name, value]],
  )
  return Object.fromEntries(entries)
}

/** The inverse of `flat`: the part whose fields have these values. */
export function nested<P extends Part>(part: P, values: Flat): Documents[P] {
  const { own, groups, each }: PartFields = settingsParts[part].fields
  const under = (names: object, prefix: string) =>
    Object.fromEntries(Object.keys(names).map((name) => [name, values[prefix + name]]))
  const ofGroups = groups.map((group) => [group, under(each, `${group}_`)])
  return { ...under(own, ''), ...Object.fromEntries(ofGroups) } as Documents[P]
}

/** The administrator's view: everything except secrets, which show only whether they are set. */
export function shownPart(platform: Platform, settings: Settings, part: Part) {
  const { wire, besideOf }: PartRules = settingsParts[part]
  const values = flat(part, settings[part])
  const fields = wire.flatMap(({ name, change }) => {
    if (change === undefined) return [[name, values[name]]]
    return change === 'secret' ? [[`${name}_configured`, values[name] !== '']] : []
  })
  return { version: settings.versions[part], ...Object.fromEntries(fields), ...besideOf?.(platform, settings) }
}
