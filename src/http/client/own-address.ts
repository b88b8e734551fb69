import type { Exchange } from '../exchange.ts'
import type { Call } from '../route.ts'

const THIS_MACHINE = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/

/** The request names this machine by its loopback name, as a page of another site cannot (DNS rebinding). */
export function namesThisMachine(exchange: Exchange): boolean {
  return THIS_MACHINE.test(exchange.header('host') ?? '')
}

/**
 * The base URL; on a local installation, the loopback name and port by which this request found it, so that
 * clients and pages meet the service wherever it listens.
 */
export function ownAddress({ platform, exchange }: Call): string {
  return platform.config.isLocal && namesThisMachine(exchange)
    ? `http://${exchange.header('host')}`
    : platform.config.baseUrl
}
