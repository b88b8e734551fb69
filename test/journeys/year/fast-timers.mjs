/**
 * Loaded before the program: its timers for background work run as fast as its clock (libfaketime, FAKETIME). Shorter
 * ones are limits on what other programs take, whose clocks are right.
 */
const LONGEST_LIMIT_MILLISECONDS = 30_000
const SHORTEST_MILLISECONDS = 20
const speed = Number(process.env.YEAR_SPEED)

const { setTimeout: original } = globalThis
/** @type {(work: (...values: unknown[]) => void, milliseconds?: number, ...values: unknown[]) => NodeJS.Timeout} */
const setFaster = (work, milliseconds = 0, ...values) => original(work, faster(milliseconds), ...values)
globalThis.setTimeout = Object.assign(setFaster, original)

/** @param {number} milliseconds */
function faster(milliseconds) {
  return milliseconds <= LONGEST_LIMIT_MILLISECONDS
    ? milliseconds
    : Math.max(SHORTEST_MILLISECONDS, milliseconds / speed)
}
