import type { z } from 'zod'
import type { Platform } from '../../../platform/platform.ts'
import { canOpen, openIfOurs } from '../../../platform/secrets/secret-box.ts'
import { flat, nested } from './documents.ts'
import { Documents, forEachPart, type Part, parts, settingsParts } from './model.ts'

type SecretsOf<Shown> = Shown extends `${infer Name}_configured` ? Name : never
type ShownOf<P extends Part> = keyof z.output<(typeof settingsParts)[P]['document']>

/** The sealed text is bound to this name. */
export type SettingsSecret = {
  readonly [P in Part]: P extends 'authentication' ? SecretsOf<ShownOf<P>> : `${P}_${SecretsOf<ShownOf<P>>}`
}[Part]

export function sealedName(part: Part, field: string): SettingsSecret {
  return (part === 'authentication' ? field : `${part}_${field}`) as SettingsSecret
}

type Sealing = Pick<Platform, 'secretBox'>

export function sealSetting({ secretBox }: Sealing, name: SettingsSecret, plain: string): string {
  return secretBox.seal(`settings:${name}`, plain)
}

/** Undefined if none is configured. */
export function openSetting({ secretBox }: Sealing, name: SettingsSecret, sealed: string): string | undefined {
  return sealed === '' ? undefined : secretBox.open(`settings:${name}`, sealed)
}

/** Empty if none is configured, undefined if it was sealed under another key. */
export function openSettingIfOurs({ secretBox }: Sealing, name: SettingsSecret, sealed: string): string | undefined {
  return sealed === '' ? '' : openIfOurs(secretBox, `settings:${name}`, sealed)
}

/** The names of secrets that were sealed under another key. */
export function closedSecrets({ secretBox }: Sealing, documents: Documents): readonly string[] {
  return parts.flatMap((part) =>
    secretsOf(part, documents).flatMap(({ name, text }) =>
      text === '' || canOpen(secretBox, `settings:${name}`, text) ? [] : [name],
    ),
  )
}

/** The documents with each of their secrets changed. */
export function withSecrets(documents: Documents, change: (name: SettingsSecret, text: string) => string): Documents {
  return Documents.parse(
    forEachPart((part) => {
      const changed = secretsOf(part, documents).map(({ field, name, text }) => [field, change(name, text)])
      return nested(part, { ...flat(part, documents[part]), ...Object.fromEntries(changed) })
    }),
  )
}

function secretsOf(part: Part, documents: Documents) {
  const values = flat(part, documents[part])
  return settingsParts[part].wire.flatMap(({ name: field, change }) =>
    change === 'secret' ? [{ field, name: sealedName(part, field), text: String(values[field]) }] : [],
  )
}
