import type { z } from 'zod'
import type { ProtectedRoute } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import type { Issue } from '../../../../rules/refusal.ts'
import type { Flat } from '../documents.ts'
import type { Part, Settings } from '../model.ts'
import { documentSchema, type Fields, fieldsOnWire, type PartFields, updateSchema, type WireField } from './fields.ts'

/** A field of the part, whether it is wrong, and what to do. */
interface Fault extends Issue {
  readonly if: boolean
}

/** The rules of a part besides its fields. */
export interface PartRules {
  readonly wire: readonly WireField[]
  /** Read-only values shown beside the fields. */
  readonly besideOf?: (platform: Platform, settings: Settings) => object
  /** Options of the route that changes the part. */
  readonly updates?: Pick<ProtectedRoute, 'largestBodyBytes' | 'grants'>
  /** The values a save starts from; without it, the stored ones. Secrets among them are sealed. */
  readonly base?: (now: Flat, sent: Flat) => Flat
  /** The secrets that a save makes because it needs them and has none: by field, the text to seal. */
  readonly madeSecrets?: (now: Flat, sent: Flat) => Readonly<Record<string, string>>
  /** The secret in a sealed text that also says something about it. */
  readonly secretIn?: (text: string) => string
  /** The faults that the whole part can have, together with the parts it depends on. */
  readonly faults?: (platform: Platform, settings: Settings) => readonly Fault[]
}

interface Shown<Shape extends z.ZodRawShape> extends Omit<PartRules, 'wire'> {
  readonly beside?: Shape
  readonly besideOf?: (platform: Platform, settings: Settings) => z.input<z.ZodObject<Shape>>
}

export function settingsPart<
  P extends Part,
  F extends Fields,
  G extends string,
  E extends Fields,
  Shape extends z.ZodRawShape = Record<never, never>,
>(part: P, fields: PartFields<F, G, E>, { beside, ...rest }: Shown<Shape>) {
  return {
    ...{ part, fields, ...rest },
    wire: fieldsOnWire(fields),
    update: updateSchema(fields),
    document: documentSchema(fields, beside),
  }
}

/** A list as it is stored, with each of its values once. */
export function unique<Item extends z.ZodType>(list: z.ZodArray<Item>): z.ZodArray<Item> {
  return list.overwrite((items) => [...new Set(items)])
}
