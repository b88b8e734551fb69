export const EVENTS_JOB = 'events'
/** The signal after each move of the order. */
export const ORDER_MOVED = 'events'

const POSITIONS_A_MILLISECOND = 1_024

/**
 * The first position of a moment. Positions follow the clock if they can, so that a store that was restored
 * or lost its last commits assigns none that a reader has already passed.
 */
export function positionAt(time: number): number {
  return time * POSITIONS_A_MILLISECOND
}
