import type {
  AuthenticationResponseJSON as Answer,
  RegistrationResponseJSON as Registration,
} from '@simplewebauthn/browser'

/** The options come from our own server, in the form of the standard. */
interface Webauthn {
  create(options: object): Promise<Registration>
  show(options: object, inField: boolean): Promise<Answer>
  /** True while the browser can offer passkeys in the field for the address. */
  offersInField(): Promise<boolean>
}

/** The browser's own methods for the standard's JSON; a library does the same for browsers without them. */
export async function webauthn(): Promise<Webauthn> {
  const known = globalThis.PublicKeyCredential
  const hasMethods =
    known &&
    'parseCreationOptionsFromJSON' in known &&
    'parseRequestOptionsFromJSON' in known &&
    'toJSON' in known.prototype
  return hasMethods ? native : (await import('./webauthn-library.ts')).library
}

const native: Webauthn = {
  async create(options) {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      options as PublicKeyCredentialCreationOptionsJSON,
    )
    return jsonOf(await navigator.credentials.create({ publicKey, signal: takeTurn() }))
  },
  async show(options, inField) {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON)
    const mediation = inField ? 'conditional' : 'optional'
    return jsonOf(await navigator.credentials.get({ publicKey, mediation, signal: takeTurn() }))
  },
  offersInField: async () =>
    'isConditionalMediationAvailable' in PublicKeyCredential && PublicKeyCredential.isConditionalMediationAvailable(),
}

let current: AbortController | undefined

/** A browser has one request for a passkey open at a time: a click replaces the field's offer. */
function takeTurn(): AbortSignal {
  current?.abort(new DOMException('Another request took its place.', 'AbortError'))
  current = new AbortController()
  return current.signal
}

/** The request decides which of the standard's two forms applies. */
function jsonOf<Json>(credential: Credential | null): Json {
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException('No passkey.', 'NotAllowedError')
  const json: object = credential.toJSON()
  return json as Json
}
