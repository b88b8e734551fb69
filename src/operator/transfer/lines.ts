import { z } from 'zod'
import { parts } from '../../features/ground/settings/model.ts'

/** The first line of an export. */
export const Header = z.object({
  format: z.literal('gatehouse-export-1'),
  id: z.string(),
  created_at: z.int(),
  /** Hashes can be verified only with their cost. */
  password_iterations: z.int().positive(),
  shards: z.array(z.string()),
  rows: z.int(),
})
export type Header = z.output<typeof Header>

const Cell = z.union([z.string(), z.number(), z.null()])

/** One row of the global store, or of the named shard. */
export const RowLine = z.object({
  store: z.string(),
  table: z.string(),
  row: z.record(z.string(), Cell),
})
export type RowLine = z.output<typeof RowLine>

/** The secrets in plain text, or ''. */
const SettingsLine = z.object({ settings: z.record(z.enum(parts), z.unknown()) })

/** The last line. Without it the file was cut short. */
const EndLine = z.object({ end: z.literal(true), rows: z.int() })

export const Line = z.union([RowLine, SettingsLine, EndLine])
export type Line = z.output<typeof Line>
