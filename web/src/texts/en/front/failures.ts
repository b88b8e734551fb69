import { plural } from '../plural.ts'

export const failuresTexts = {
  form: {
    emailMissing: 'Enter your email address.',
    emailOdd: 'Enter a valid email address.',
    passwordMissing: 'Enter your password.',
    passwordShort: 'Use at least 8 characters.',
    codeIncomplete: 'Enter all six digits.',
    required: 'This field is required.',
    unchanged: 'There are no changes to save.',
    passwordWrong: 'Incorrect password.',
    refused: 'The server doesn’t accept this. Please check it.',
  },
  failures: {
    NETWORK: 'Can’t reach the server. Check your connection and try again; what you typed is still here.',
    UNREADABLE: 'The server sent an unexpected response. Try again in a moment.',
    INVALID_REQUEST: 'Some fields aren’t valid. Please check what you entered.',
    EMAIL_OTP_SIGN_IN_DISABLED: 'Codes confirm an email address but can’t sign you in. Use your password.',
    EMAIL_DOMAIN_NOT_ALLOWED: 'Addresses at this domain can’t be used to register here.',
    EMAIL_PROVIDER_UNAVAILABLE: 'This service can’t send email at the moment. Please try again later.',
    EMAIL_CHANGE_DISABLED: 'Your email address can’t be changed.',
    INVALID_OTP: 'That code is incorrect. Check the digits or request a new one.',
    OTP_EXPIRED: 'That code has expired. Request a new one.',
    PASSWORD_TOO_SHORT: 'This password is too short. Use at least 8 characters, ideally 15 or more.',
    PASSWORD_TOO_LONG: 'This password is too long. Use at most 128 characters.',
    PASSWORD_COMPROMISED: 'This password is too common. Please choose another.',
    CHALLENGE_REQUIRED: 'Please complete the check first.',
    CHALLENGE_FAILED: 'The check failed. Please try again.',
    INVALID_BETA_CODE: 'This code doesn’t exist or has already been used. Check for typos.',
    MAIL_NOT_SENT: 'The message couldn’t be sent.',
    INVALID_CODE: 'This code is wrong or was used before. Check that your device’s clock is right.',
    INVALID_BACKUP_CODE: 'This backup code is wrong or was used before.',
    INVALID_TWO_FACTOR_COOKIE: 'This sign-in has ended. Please start again.',
    INVALID_PASSKEY: 'The passkey was not accepted. Try again, or use another way.',
    PASSKEY_NOT_FOUND: 'This passkey isn’t registered here.',
    ACCOUNT_SUSPENDED: 'This account is suspended. Contact support.',
    SECOND_FACTOR_REQUIRED: 'Add a second factor to your account first.',
    SECOND_FACTOR_DISABLED: 'Second factors are switched off here.',
    UNAUTHORIZED: 'Your session has ended. Please sign in again.',
    INVALID_EMAIL_OR_PASSWORD: 'Incorrect email address or password.',
    FORBIDDEN: 'Only the administrator can do this.',
    BETA_CODE_REQUIRED: 'You need an invitation code to continue.',
    REGISTRATION_DISABLED: 'New accounts can’t be created right now.',
    EMAIL_NOT_VERIFIED: 'Confirm your email address first.',
    SESSION_NOT_FRESH: 'Confirm that it’s you to do this.',
    INVALID_ORIGIN: 'This request came from an unrecognised site. Reload the page.',
    INSUFFICIENT_SCOPE: 'You don’t have permission to do this.',
    TOO_MANY_LETTERS:
      'Twelve of these emails were sent to this address today, which is the limit. The link in the last one is valid until midnight UTC.',
    TOO_MANY_APPROVALS: 'Too many actions wait for approval. Approve or deny some of them first.',
    TOO_MANY_ATTEMPTS:
      'Too many wrong codes. Use the link in the email, or wait five minutes and request a new code.',
    NOT_FOUND: 'This no longer exists.',
    METHOD_NOT_ALLOWED: 'This page may be out of date. Reload it.',
    CONFIG_CONFLICT: 'Someone else saved in the meantime. Review the current values, then save again.',
    IDEMPOTENCY_KEY_REUSED: 'This was sent before with other content. Reload the page and try again.',
    BETA_CODE_ALREADY_BOUND: 'You have already redeemed an invitation code.',
    LAST_ACTIVE_SHARD:
      'This is the last shard that accepts new users. Let another one accept them first, or nobody could sign up.',
    PAYLOAD_TOO_LARGE: 'This is too long. Please shorten it.',
    UNSUPPORTED_MEDIA_TYPE: 'This page may be out of date. Reload it.',
    EXPECTATION_FAILED: 'This page may be out of date. Reload it.',
    REQUEST_TIMEOUT: 'The connection was too slow. Please try again.',
    HEADERS_TOO_LARGE: 'The address of this page is too long, or your browser sent too many cookies.',
    USER_ALREADY_EXISTS: 'There is already an account for this email address. Sign in instead.',
    EMAIL_ACTION_RATE_LIMITED: 'We’ve just sent you an email. Please wait before requesting another.',
    RATE_LIMITED: 'Too many requests. Please wait a moment.',
    QUOTA_EXCEEDED:
      'You have reached the limit for one account. Remove something first, or ask the administrator.',
    INTERNAL_ERROR: 'Something went wrong on our side. It has been logged; please try again.',
    STORE_UNAVAILABLE: 'The service is temporarily unavailable. Please try again in a moment.',
    STATE_INVALID: 'Sign-in took too long or was started in another window. Please try again.',
    REDIRECT_URI_MISMATCH: 'The provider doesn’t accept our callback URL. Please tell the administrator.',
    FAILED_TO_UNLINK_LAST_ACCOUNT: 'This is your only sign-in method. Add another first.',
    ACCESS_DENIED: 'You cancelled at the provider; nothing has changed.',
    PROVIDER_DISABLED: 'This sign-in method is currently disabled.',
    ACCOUNT_NOT_LINKED:
      'There is already an account for this email address. Sign in to it, then connect the provider under Settings.',
    ACCOUNT_LINKED_ELSEWHERE: 'That account is already linked to another user.',
    PROVIDER_ALREADY_LINKED: 'An account from this provider is already connected. Disconnect it first.',
    PROVIDER_ERROR: 'The provider sent an invalid response. Please try again in a moment.',
    PROVIDER_MISCONFIGURED:
      'The provider doesn’t accept the client ID or secret that is set here. Please tell the administrator.',
    PROVIDER_UNAVAILABLE: 'The provider isn’t responding. Please try again later.',
  },
  providerFailures: {
    ACCESS_DENIED: (provider: string) => `You cancelled at ${provider}; nothing has changed.`,
    PROVIDER_DISABLED: (provider: string) => `Signing in with ${provider} is currently disabled.`,
    ACCOUNT_NOT_LINKED: (provider: string) =>
      `There is already an account for this email address. Sign in to it, then connect ${provider} under Settings.`,
    ACCOUNT_LINKED_ELSEWHERE: (provider: string) =>
      `That ${provider} account is already linked to another user.`,
    PROVIDER_ALREADY_LINKED: (provider: string) =>
      `A ${provider} account is already connected. Disconnect it first.`,
    PROVIDER_ERROR: (provider: string) =>
      `${provider} sent an invalid response. Please try again in a moment.`,
    PROVIDER_MISCONFIGURED: (provider: string) =>
      `${provider} doesn’t accept the client ID or secret that is set here. Please tell the administrator.`,
    PROVIDER_UNAVAILABLE: (provider: string) => `${provider} isn’t responding. Please try again later.`,
    REDIRECT_URI_MISMATCH: (provider: string) =>
      `${provider} doesn’t accept our callback URL. Please tell the administrator.`,
  },
  waitSeconds: (seconds: number) => {
    if (seconds < 120) return `Try again in ${plural(seconds, 'second', 'seconds')}.`
    if (seconds < 7_200) return `Try again in ${plural(Math.ceil(seconds / 60), 'minute', 'minutes')}.`
    return `Try again in ${plural(Math.ceil(seconds / 3_600), 'hour', 'hours')}.`
  },
  unknownFailure: 'That didn’t work. Please try again.',
}
