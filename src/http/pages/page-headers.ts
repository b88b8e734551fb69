import type { Config } from '../../config/config.ts'

const CHALLENGE_ORIGIN = 'https://challenges.cloudflare.com'

/**
 * Allows no inline script or style, no framing, and pictures only of these origins; the challenge's only if it is
 * configured.
 */
export function pageHeaders(config: Config, pictures: readonly string[]): Readonly<Record<string, string>> {
  const challenge = config.challengeSiteKey === undefined ? '' : ` ${CHALLENGE_ORIGIN}`
  const policy = [
    "default-src 'none'",
    "object-src 'none'",
    `script-src 'self'${challenge}`,
    "style-src 'self'",
    `img-src 'self' data: ${pictures.join(' ')}`.trimEnd(),
    "font-src 'self'",
    `connect-src 'self'${challenge}`,
    // The preview of a letter is shown in a frame.
    `frame-src 'self'${challenge}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "manifest-src 'self'",
  ].join('; ')
  return {
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
    ...(config.isHttps && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
  }
}
