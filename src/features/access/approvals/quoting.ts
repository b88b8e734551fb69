import type { ApprovalTable } from '../../../database/schema/products/approvals.ts'
import type { Platform } from '../../../platform/platform.ts'
import { exactly } from '../../../rules/one-line.ts'
import { openedInput } from './contents.ts'

/** Fields that are prose for people. No letter has the others, since they could be a secret of any route. */
const QUOTED = ['type', 'title', 'content', 'text', 'name', 'amount', 'reason', 'note'] as const
const LONGEST = 500

interface Quoted {
  readonly field: string
  readonly text: string
}

export function quotedOf(platform: Pick<Platform, 'secretBox'>, row: Pick<ApprovalTable, 'id' | 'input'>): Quoted[] {
  const input: unknown = JSON.parse(openedInput(platform, row) ?? 'null')
  if (typeof input !== 'object' || input === null) return []
  return QUOTED.flatMap((field) => {
    const value: unknown = Reflect.get(input, field)
    const isShown = typeof value === 'string' || typeof value === 'number'
    return isShown && value !== '' ? [{ field, text: shortened(exactly(String(value))) }] : []
  })
}

function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1).toWellFormed()}…`
}
