import { z } from 'zod'
import { Id } from '../../../rules/ids.ts'
import { JsonObject } from '../../../rules/json-object.ts'

/** What its owner sends and sees. */
export const ChangeOwnData = z.object({ own: JsonObject })
export const OwnData = z.object({ public: JsonObject, own: JsonObject, version: z.int() })

/** What the product sends and sees, for users and organisations alike. */
export const ChangeData = z.object({
  id: Id,
  public: JsonObject.optional(),
  private: JsonObject.optional(),
  own: JsonObject.optional(),
  /** Refuses the change if the data has another version. */
  expected_version: z.int().min(0).optional(),
})
export type ChangeData = z.output<typeof ChangeData>
export const Data = OwnData.extend({ private: JsonObject })

export const WhoseData = z.object({ id: Id })
