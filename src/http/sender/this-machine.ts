import type { Exchange } from '../exchange.ts'

const THIS_MACHINE = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/

/** The request names this machine by its loopback name, which a page of another site cannot do (DNS rebinding). */
export function namesThisMachine(exchange: Exchange): boolean {
  return THIS_MACHINE.test(exchange.header('host') ?? '')
}
