import { createApp } from '../../src/app.ts'
import type { Config } from '../../src/config/config.ts'
import { RecentlyUsed } from '../../src/database/recently-used.ts'
import { keepAddress } from '../../src/features/ground/troubles/address.ts'
import { warnOfTroubles } from '../../src/features/ground/troubles/troubles.ts'
import { ExpiringMap } from '../../src/platform/caches/expiring-map.ts'
import { VersionedCache } from '../../src/platform/caches/versioned-cache.ts'
import { turnstileChallenge } from '../../src/platform/challenge/challenge.ts'
import { openMail } from '../../src/platform/mail/open.ts'
import type { Platform } from '../../src/platform/platform.ts'
import { aesSecretBox } from '../../src/platform/secrets/secret-box.ts'
import { hmacSigner } from '../../src/platform/secrets/signer.ts'
import { builtPages } from './built-pages.ts'
import { MemoryLog } from './fakes/memory-log.ts'
import { type Service, THIS_MACHINE } from './service.ts'
import { ask } from './without-socket.ts'

export interface Restart {
  /** Values that are other than before. */
  readonly config?: Partial<Config>
  readonly configEncryptionKey?: string
  readonly authSecret?: string
  readonly platform?: Partial<Platform>
}

/** A process of the same stores that is started with other deployment values; mail and challenge are as it sets them. */
export async function restarted(service: Service, restart: Restart = {}) {
  const { configEncryptionKey, authSecret } = restart
  const config = { ...service.config, ...restart.config }
  const log = new MemoryLog()
  const platform: Platform = {
    ...service.platform,
    config,
    log,
    mail: openMail(config, service.platform.names, service.clock.now),
    challenge: turnstileChallenge(config, log),
    versioned: new VersionedCache(),
    memory: new ExpiringMap(),
    actingInOrganizations: new RecentlyUsed<'yes'>(100),
    ...(configEncryptionKey !== undefined && { secretBox: aesSecretBox(configEncryptionKey) }),
    ...(authSecret !== undefined && { signer: hmacSigner(authSecret) }),
    ...restart.platform,
  }
  await keepAddress(platform)
  await warnOfTroubles(platform)
  const app = createApp(platform, builtPages())
  return {
    platform,
    lines: log.lines,
    /** The warnings at its start. */
    said: log.lines
      .filter(({ level }) => level === 'warn')
      .map(({ fields, message }) => ({ about: fields.about, words: message })),
    request: (path: string, init?: RequestInit) => ask(app, path, init, THIS_MACHINE),
  }
}
