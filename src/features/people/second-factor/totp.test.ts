import assert from 'node:assert/strict'
import * as OTPAuth from 'otpauth'
import { describe, it } from 'vitest'
import { hotp, matchingStep, totpUri } from './one-time-codes.ts'

const SECRET = Buffer.from('12345678901234567890')

describe('one-time codes', () => {
  it('are those of RFC 6238, appendix B, for SHA-1', () => {
    const vectors = [
      [59, '94287082'],
      [1111111109, '07081804'],
      [1111111111, '14050471'],
      [1234567890, '89005924'],
      [2000000000, '69279037'],
      [20000000000, '65353130'],
    ] as const

    for (const [seconds, code] of vectors) assert.equal(hotp(SECRET, Math.floor(seconds / 30), 8), code)
  })

  it('are those of RFC 4226, appendix D', () => {
    const codes = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583']

    assert.deepEqual(
      codes.map((_, counter) => hotp(SECRET, counter)),
      codes,
    )
  })

  it('are the ones that a published library computes from the address in the QR code', () => {
    const now = 1_700_000_000_000
    const uri = totpUri(SECRET, 'Gate & house', 'ann+1@example.com')

    const app = OTPAuth.URI.parse(uri)

    assert.ok(app instanceof OTPAuth.TOTP)
    assert.deepEqual([app.issuer, app.label, app.period], ['Gate & house', 'ann+1@example.com', 30])
    assert.equal(matchingStep(SECRET, app.generate({ timestamp: now }), now), Math.floor(now / 30_000))
  })

  it('are accepted one step early or late, and no further', () => {
    const now = 1_700_000_010_000
    const app = new OTPAuth.TOTP({ secret: new OTPAuth.Secret({ buffer: new Uint8Array(SECRET).buffer }) })

    const isRight = [-60, -30, 0, 30, 60].map(
      (seconds) => matchingStep(SECRET, app.generate({ timestamp: now + seconds * 1000 }), now) !== undefined,
    )

    assert.deepEqual(isRight, [false, true, true, true, false])
  })
})
