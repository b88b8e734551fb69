import { z } from 'zod'
import type { Part } from '../../../database/schema/settings.ts'
import { ai, aiFields } from './parts/ai.ts'
import { assistants, assistantsFields } from './parts/assistants.ts'
import { authentication, authenticationFields } from './parts/authentication.ts'
import { brand, brandFields } from './parts/brand.ts'
import { credits, creditsFields } from './parts/credits.ts'
import { email, emailFields } from './parts/email.ts'
import { storedSchema } from './parts/fields.ts'
import { hooks, hooksFields } from './parts/hooks.ts'
import { organizations, organizationsFields } from './parts/organizations.ts'
import type { PartRules } from './parts/part.ts'

export type { Part }

/** The stored form of each part. */
export const Documents = z.object({
  authentication: storedSchema(authenticationFields),
  email: storedSchema(emailFields),
  credits: storedSchema(creditsFields),
  ai: storedSchema(aiFields),
  brand: storedSchema(brandFields),
  assistants: storedSchema(assistantsFields),
  // An export of 0.3.0 lacks these.
  organizations: storedSchema(organizationsFields).prefault({}),
  hooks: storedSchema(hooksFields).prefault({}),
} satisfies Record<Part, z.ZodType>)
export type Documents = Readonly<z.output<typeof Documents>>

/** Each part of the settings, with its fields and rules. */
export const settingsParts = {
  ...{ authentication, email, credits, ai, brand, assistants, organizations, hooks },
} satisfies Record<Part, PartRules>

export const parts = Documents.keyof().options

/** The cast restores the keys, whose types `Object.fromEntries` loses. */
export function forEachPart<T>(of: (part: Part) => T): Readonly<Record<Part, T>> {
  return Object.fromEntries(parts.map((part) => [part, of(part)])) as Record<Part, T>
}

/** The global settings record, as the service uses it. Secrets in it are sealed. */
export interface Settings extends Documents {
  readonly revision: string
  /** The store's history at the last save. */
  readonly history: string
  readonly versions: Readonly<Record<Part, number>>
}

/** The settings of a fresh installation. */
export const defaultSettings = () => parsedDocuments(forEachPart(() => ({})))

/** Without zod's compiling of parsers: that takes a start 4 ms, and settings are parsed once for each change. */
export function parsedDocuments(documents: Readonly<Record<Part, unknown>>): Documents {
  return Documents.parse(documents, { jitless: true })
}
