import type { Call } from '../route.ts'

const THIS_MACHINE = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/

/**
 * The base URL; on a local installation, the loopback name and port by which this request found it, so that
 * clients and pages meet the service wherever it listens.
 */
export function ownAddress({ platform, exchange }: Call): string {
  const host = exchange.header('host') ?? ''
  return platform.config.isLocal && THIS_MACHINE.test(host) ? `http://${host}` : platform.config.baseUrl
}
