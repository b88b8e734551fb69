import {
  browserSupportsWebAuthnAutofill,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser'

export const library = {
  create: (options: object) => startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON }),
  show: (options: object, inField: boolean) =>
    startAuthentication({
      optionsJSON: options as PublicKeyCredentialRequestOptionsJSON,
      useBrowserAutofill: inField,
    }),
  offersInField: browserSupportsWebAuthnAutofill,
}
