import type { Config } from '../../config/config.ts'
import { isTestSecret } from '../../platform/challenge/challenge.ts'
import { type Finding, note, wrong } from '../../rules/finding.ts'

/** Values that are valid alone but cause trouble together. */
export function examineDeployment(config: Config): readonly Finding[] {
  if (config.isLocal) return []
  const findings: Finding[] = []
  if (config.challengeSecret !== undefined && isTestSecret(config.challengeSecret))
    findings.push(
      wrong('challenge', 'CHALLENGE_SECRET is a published test secret; on a public address it stops no bots'),
    )
  if (config.trustedProxies.length === 0)
    findings.push(
      note(
        'proxies',
        'TRUSTED_PROXIES is not set: behind a proxy, every client seems to have the address of the proxy',
      ),
    )
  if (!config.challengeVerifyUrl.startsWith('https:'))
    findings.push(
      wrong('challenge', 'CHALLENGE_VERIFY_URL is not https, so anyone on the network path can forge its answers'),
    )
  return findings
}
