/** A place in the write-ahead log of one PostgreSQL timeline. */
export interface Position {
  readonly timeline: number
  readonly lsn: bigint
}

const LSN = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/
const POSITION = /^([1-9][0-9]{0,8})-([0-9A-F]{1,8}\/[0-9A-F]{1,8})$/

/** Undefined for anything that `formatPosition` did not write. */
export function parsePosition(text: string): Position | undefined {
  const [, timeline, lsn] = POSITION.exec(text) ?? []
  const value = lsn === undefined ? undefined : parseLsn(lsn)
  return value === undefined ? undefined : { timeline: Number(timeline), lsn: value }
}

export function formatPosition({ timeline, lsn }: Position): string {
  const high = (lsn >> 32n).toString(16)
  const low = (lsn & 0xffff_ffffn).toString(16)
  return `${timeline}-${high}/${low}`.toUpperCase()
}

export function parseLsn(text: string): bigint | undefined {
  const [, high, low] = LSN.exec(text) ?? []
  return high === undefined ? undefined : (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

/** True if both are on one timeline and `reached` is not before `asked`. */
export function covers(reached: Position | undefined, asked: Position): boolean {
  return reached !== undefined && reached.timeline === asked.timeline && reached.lsn >= asked.lsn
}

const PAGE_BYTES = 8_192n
const PAGE_HEADER_BYTES = 24n
const SEGMENT_BYTES = 16_777_216n
const SEGMENT_HEADER_BYTES = 40n

/**
 * The insert position can be behind the header of a page that has no record yet; an idle replica
 * only ever reports the end of the record before it.
 */
export function trimHeader(lsn: bigint): bigint {
  if (lsn % SEGMENT_BYTES === SEGMENT_HEADER_BYTES) return lsn - SEGMENT_HEADER_BYTES
  return lsn % PAGE_BYTES === PAGE_HEADER_BYTES ? lsn - PAGE_HEADER_BYTES : lsn
}

export function later(a: Position, b: Position): Position {
  if (a.timeline !== b.timeline) return a.timeline > b.timeline ? a : b
  return a.lsn >= b.lsn ? a : b
}
