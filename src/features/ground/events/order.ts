export const EVENTS_JOB = 'events'
/** The signal after each move of the order. */
export const ORDER_MOVED = 'events'

const POSITIONS_A_MILLISECOND = 1_024
/** Later times would exceed a safe integer, and a clock once set that far would stop the order for good. */
const LATEST = Date.UTC(2200, 0)

/**
 * The first position of a moment. Positions follow the clock if they can, so that a store that was restored
 * or lost its last commits assigns none that a reader has already passed.
 */
export function positionAt(time: number): number {
  return Math.min(time, LATEST) * POSITIONS_A_MILLISECOND
}
