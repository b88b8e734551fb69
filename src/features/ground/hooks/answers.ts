import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import { areClaimsTooLarge, isClaimName, isReservedClaim } from '../../../rules/claims.ts'
import { JsonObject } from '../../../rules/json-object.ts'
import { visibleLine } from '../../../rules/one-line.ts'
import { type DataPatch, isSavable } from '../../../rules/product-data.ts'
import { unstorableIn } from '../../../rules/unstorable.ts'
import type { HookName } from '../settings/parts/hooks.ts'

/** What the product decided, and what it gives with a yes. */
export type HookAnswer =
  | { readonly allow: true; readonly data?: DataPatch; readonly claims?: JsonObject }
  | { readonly allow: false; readonly message: string }

const LONGEST_MESSAGE = 200
const REFUSED = 'You cannot do this here right now.'

const No = z.object({ allow: z.literal(false), message: z.unknown().optional() })
const Data = z.strictObject({ public: JsonObject.optional(), private: JsonObject.optional() })
const YES = {
  before_sign_up: z.object({ allow: z.literal(true), data: Data.optional() }),
  before_sign_in: z.object({ allow: z.literal(true) }),
  before_token: z.object({ allow: z.literal(true), claims: JsonObject.optional() }),
} as const satisfies Record<HookName, z.ZodType>

/** Undefined if the response cannot be read as an answer. A refusal counts even if another field is malformed. */
export function parsedAnswer(hook: HookName, body: Buffer): HookAnswer | undefined {
  const sent = jsonIn(body.toString('utf8'))
  const no = No.safeParse(sent)
  if (no.success) return { allow: false, message: messageOf(no.data.message) }
  const yes = YES[hook].safeParse(sent)
  // Reading it has replaced what is not UTF-8, which nobody sent.
  if (!yes.success || !isUtf8(body) || unstorableIn(yes.data).length > 0) return undefined
  const { allow, data, claims }: Yes = yes.data
  if (data && !isSavable(data, 'merged')) return undefined
  if (!claims) return { allow, ...(data && { data }) }
  const own = withoutReserved(claims)
  return areClaimsTooLarge(own) ? undefined : { allow, claims: own }
}

interface Yes {
  readonly allow: true
  readonly data?: DataPatch | undefined
  readonly claims?: JsonObject | undefined
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function messageOf(sent: unknown): string {
  const line = typeof sent === 'string' ? visibleLine(sent) : undefined
  return line === undefined ? REFUSED : [...line].slice(0, LONGEST_MESSAGE).join('')
}

function withoutReserved(claims: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => isClaimName(name) && !isReservedClaim(name)))
}
