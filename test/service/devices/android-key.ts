import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { Attest } from './security-key.ts'

/**
 * A statement in the format of Android keys, signed by a certificate of our own making that names an address for its
 * list of revoked certificates. Everything but its root is right.
 */
export function attestedWithListAt(address: string): Attest {
  return (pair, authData, clientDataHash) => {
    const root = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const issued = { issuer: 'root', signedWith: root.privateKey }
    const extensions = [
      extension(KEY_DESCRIPTION, keyDescription(clientDataHash)),
      extension(LISTS_OF_REVOKED, listAt(address)),
    ]
    const certificates = [
      certificate({ ...issued, subject: 'key', publicKey: pair.publicKey, extensions }),
      certificate({ ...issued, subject: 'root', publicKey: root.publicKey, extensions: [] }),
    ]
    const signature = sign('sha256', Buffer.concat([authData, clientDataHash]), pair.privateKey)
    const statement = Buffer.concat([
      Buffer.from([0xa3, 0x63, ...Buffer.from('alg'), 0x26, 0x63, ...Buffer.from('sig')]),
      cborBytes(signature),
      Buffer.from([0x63, ...Buffer.from('x5c'), 0x82]),
      ...certificates.map(cborBytes),
    ])
    return { format: 'android-key', statement }
  }
}

interface Certified {
  readonly issuer: string
  readonly signedWith: KeyObject
  readonly subject: string
  readonly publicKey: KeyObject
  readonly extensions: readonly Buffer[]
}

/** RFC 5280. */
function certificate({ issuer, signedWith, subject, publicKey, extensions }: Certified): Buffer {
  const algorithm = sequence(id('2a8648ce3d040302'))
  const signed = sequence(
    der(0xa0, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    algorithm,
    nameOf(issuer),
    sequence(der(TIME, Buffer.from('200101000000Z')), der(TIME, Buffer.from('490101000000Z'))),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [der(0xa3, sequence(...extensions))]),
  )
  return sequence(signed, algorithm, der(BITS, Buffer.from([0]), sign('sha256', signed, signedWith)))
}

const [INTEGER, BITS, OCTETS, OBJECT_ID, ENUMERATED, TEXT, TIME] = [2, 3, 4, 6, 10, 12, 23] as const
const KEY_DESCRIPTION = '2b06010401d679020111'
const LISTS_OF_REVOKED = '551d1f'

/** Android's statement about a key: its challenge is what matters. */
function keyDescription(challenge: Buffer): Buffer {
  const [version, level] = [der(INTEGER, Buffer.from([3])), der(ENUMERATED, Buffer.from([0]))]
  const none = sequence()
  return sequence(version, level, version, level, der(OCTETS, challenge), der(OCTETS), none, none)
}

function listAt(address: string): Buffer {
  const name = der(0x86, Buffer.from(address))
  return sequence(sequence(der(0xa0, der(0xa0, name))))
}

function extension(objectId: string, value: Buffer): Buffer {
  return sequence(id(objectId), der(OCTETS, value))
}

function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(id('550403'), der(TEXT, Buffer.from(commonName)))))
}

function id(hex: string): Buffer {
  return der(OBJECT_ID, Buffer.from(hex, 'hex'))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts)
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts)
  const { length } = value
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), value])
}

function cborBytes(value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x59, value.length >> 8, value.length & 0xff]), value])
}
