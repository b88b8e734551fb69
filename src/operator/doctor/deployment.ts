import type { Config } from '../../config/config.ts'
import { isTestSecret } from '../../platform/challenge/challenge.ts'
import { type Finding, note, wrong } from './finding.ts'

/** Values that are valid alone but cause trouble together. */
export function examineDeployment(config: Config): readonly Finding[] {
  if (config.isLocal) return []
  return [...testSecret(config), ...proxies(config), ...verifier(config)]
}

function testSecret({ challengeSecret }: Config): readonly Finding[] {
  if (challengeSecret === undefined || !isTestSecret(challengeSecret)) return []
  return [
    wrong('challenge', 'CHALLENGE_SECRET is a published test secret; on a public address it stops no bots'),
  ]
}

function proxies({ trustedProxies }: Config): readonly Finding[] {
  if (trustedProxies.length > 0) return []
  return [
    note(
      'proxies',
      'TRUSTED_PROXIES is not set: behind a proxy, every client seems to have the address of the proxy',
    ),
  ]
}

function verifier({ challengeVerifyUrl }: Config): readonly Finding[] {
  if (challengeVerifyUrl.startsWith('https:')) return []
  return [
    wrong(
      'challenge',
      'CHALLENGE_VERIFY_URL is not https, so anyone on the network path can forge its answers',
    ),
  ]
}
