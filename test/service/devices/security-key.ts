import { createHash, generateKeyPairSync, type KeyPairKeyObjectResult, randomBytes, sign } from 'node:crypto'
import type { Person } from '../people.ts'

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const ATTESTED = 0x40

interface Behaviour {
  /** Models a key that asks for a finger or a PIN; true by default. */
  readonly isUserVerified?: boolean
  readonly origin?: string
  readonly relyingParty?: string
  /** The next counter that it reports. */
  readonly counter?: number
  readonly challenge?: string
  /** The browser's report about a page in a frame of another site. */
  readonly inFrame?: { readonly crossOrigin?: boolean; readonly topOrigin?: string }
  /** The attestation of the key, in CBOR; none by default. */
  readonly attested?: Attest
}

export type Attest = (
  pair: KeyPairKeyObjectResult,
  authData: Buffer,
  clientDataHash: Buffer,
) => { readonly format: string; readonly statement: Buffer }

const unattested: Attest = () => ({ format: 'none', statement: Buffer.from([0xa0]) })

interface Options {
  readonly challenge: string
  readonly rpId?: string
  readonly rp?: { readonly id: string }
  readonly user?: { readonly id: string }
}

/** An authenticator made of software, with the page in front of it: what it sends is checked by a published library. */
export class SecurityKey {
  readonly id: Buffer
  counter = 0
  readonly #origin: string
  readonly #pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  #userHandle = ''

  constructor(origin: string, id: Buffer = randomBytes(16)) {
    this.#origin = origin
    this.id = id
  }

  make(options: Options, behaviour: Behaviour = {}) {
    this.#userHandle = options.user?.id ?? ''
    const { x = '', y = '' } = this.#pair.publicKey.export({ format: 'jwk' })
    const publicKey = [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, ...bytes(x), 0x22, ...bytes(y)]
    const { length } = this.id
    const attested = [...Buffer.alloc(16), length >> 8, length & 0xff, ...this.id, ...publicKey]
    const data = this.#authenticatorData(options.rp?.id ?? '', ATTESTED, behaviour)
    const authData = Buffer.from([...data, ...attested])
    const clientData = this.#clientData('webauthn.create', options, behaviour)
    const { attested: attest = unattested } = behaviour
    const { format, statement } = attest(this.#pair, authData, createHash('sha256').update(clientData).digest())
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3, ...text('fmt'), ...text(format), ...text('attStmt')]),
      statement,
      Buffer.from([...text('authData'), 0x59, authData.length >> 8, authData.length & 0xff]),
      authData,
    ])
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    })
  }

  show(options: Options, behaviour: Behaviour = {}) {
    this.counter = behaviour.counter ?? this.counter + 1
    const clientData = this.#clientData('webauthn.get', options, behaviour)
    const data = this.#authenticatorData(options.rpId ?? '', 0, behaviour)
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()])
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.#pair.privateKey).toString('base64url'),
      userHandle: this.#userHandle,
    })
  }

  #answer<Response>(response: Response) {
    const id = this.id.toString('base64url')
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }

  #clientData(type: string, { challenge }: Options, behaviour: Behaviour): Buffer {
    const { origin = this.#origin, inFrame } = behaviour
    const data = { type, challenge: behaviour.challenge ?? challenge, origin, ...inFrame }
    return Buffer.from(JSON.stringify(data))
  }

  #authenticatorData(relyingParty: string, flags: number, behaviour: Behaviour): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    const verified = behaviour.isUserVerified === false ? 0 : USER_VERIFIED
    const of = createHash('sha256').update(behaviour.relyingParty ?? relyingParty)
    return Buffer.concat([of.digest(), Buffer.from([flags | USER_PRESENT | verified]), counter])
  }
}

function bytes(base64url: string): number[] {
  const value = Buffer.from(base64url, 'base64url')
  return [0x58, value.length, ...value]
}

function text(value: string): number[] {
  return [0x60 + value.length, ...Buffer.from(value)]
}

const PASSKEY = '/api/auth/passkey'

/** Adds one to a signed-in user. */
export async function addPasskey(person: Person, key: SecurityKey, behaviour?: Behaviour) {
  const { body: options } = await person.get(`${PASSKEY}/generate-register-options`)
  return person.post(`${PASSKEY}/verify-registration`, { response: key.make(options, behaviour) })
}

/** Signs in, or completes a second step. */
export async function showPasskey(person: Person, key: SecurityKey, behaviour?: Behaviour) {
  const { body: options } = await person.get(`${PASSKEY}/generate-authenticate-options`)
  return person.post(`${PASSKEY}/verify-authentication`, { response: key.show(options, behaviour) })
}

export async function signUpWithPasskey(person: Person, key: SecurityKey, behaviour?: Behaviour) {
  const { email } = person
  const { body: options } = await person.post(`${PASSKEY}/generate-sign-up-options`, { email })
  return person.post(`${PASSKEY}/verify-sign-up`, { response: key.make(options, behaviour) })
}

export async function acceptWithPasskey(person: Person, link: string, key: SecurityKey) {
  const invitation = { email: person.email, link }
  const { body: options } = await person.post(`${PASSKEY}/generate-invitation-options`, invitation)
  // Without options there is still a response to try: somebody may skip the first call.
  const response = key.make({ challenge: '', rp: { id: '' }, user: { id: '' }, ...options })
  return person.post(`${PASSKEY}/accept-invitation`, { ...invitation, response })
}
