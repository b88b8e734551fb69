import type { Words } from './changes.ts'

const ifNot =
  'If not, choose a new password with “Forgot password”, check “Security” in your settings, and write to the address below.'
const ifAsked = `If you asked for this, you don’t need to do anything. ${ifNot}`

const ifUnexpected = 'If you did not expect this, write to the address below.'

export const en: Words = {
  changes: {
    'unfamiliar sign-in': {
      subject: 'New sign-in to your account',
      what: 'Somebody signed in to your account with a browser and from a network that you have not used before.',
      closing:
        'If this was you, you don’t need to do anything. If not, use the link: it signs out every browser and tool and removes the password, and you choose a new one.',
    },
    'address change asked for': {
      subject: 'Another address for your account',
      what: 'Your account is about to get another email address, once a code that we sent there is entered.',
      closing:
        'If you asked for this, you don’t need to do anything. If not, use the link within a week: your account keeps this address, or gets it back, and all access to it ends.',
    },
    'address wanted by another': {
      subject: 'Your address is already in use',
      what: 'Somebody asked for this address for another account. It stays with your account, which was not changed.',
      closing: 'If this was you, sign in with this address. If not, you can ignore this email.',
    },
    'password changed': {
      subject: 'Your password was changed',
      what: 'The password of your account was changed.',
    },
    'password breached': {
      subject: 'Your password is known to others',
      what: 'The password with which you have just signed in is in a list of stolen passwords, which others try everywhere. Choose another one under “Security” in your settings, and wherever else you use it.',
      closing: ifAsked,
    },
    'password reset': {
      subject: 'Your password was reset',
      what: 'The password of your account was reset by email. You have been signed out everywhere.',
    },
    'address changed on the host': {
      subject: 'Your account has another address',
      what: 'On the server, the administrator’s account was given another email address. From now on, letters go there, and this address no longer signs in.',
    },
    'address taken up': {
      subject: 'This is the administrator’s address now',
      what: 'On the server, the administrator’s account was given this email address. From now on, it signs in, and letters come here.',
    },
    'verified in another browser': {
      subject: 'Your email address was verified',
      what: 'Your address was verified in a different browser from the one in which the account was set up. The earlier password, passkeys, authenticator app and linked accounts no longer work, and all sessions and tools were ended. If you have no password now, choose one with “Forgot password”.',
    },
    'totp added': {
      subject: 'An authenticator app was added',
      what: 'From now on you need a code from your authenticator app to sign in.',
    },
    'totp removed': {
      subject: 'The authenticator app was removed',
      what: 'You no longer need a code from your authenticator app to sign in.',
    },
    'passkey added': {
      subject: 'A passkey was added',
      what: 'A passkey can now be used to sign in to your account.',
    },
    'passkey removed': {
      subject: 'A passkey was removed',
      what: 'A passkey can no longer be used to sign in to your account.',
    },
    'backup codes renewed': {
      subject: 'New backup codes were generated',
      what: 'Your account has new backup codes. The old ones no longer work.',
    },
    'backup code used': {
      subject: 'A backup code was used',
      what: 'One of your backup codes was used. It will not work again.',
    },
    'factors removed': {
      subject: 'Your second factors were removed',
      what: 'The administrator removed the authenticator app, passkeys and backup codes from your account.',
      closing: ifAsked,
    },
    'provider linked': {
      subject: 'Sign-in method added',
      what: 'An account at a provider can now be used to sign in to your account.',
    },
    'provider unlinked': {
      subject: 'Sign-in method removed',
      what: 'An account at a provider can no longer be used to sign in to your account.',
    },
    'tool connected': {
      subject: 'A tool was connected',
      what: 'A tool can now use your account with the permissions that it was given.',
    },
    'application connected': {
      subject: 'An application was connected',
      what: 'An application can now use your account with the permissions that it was given.',
    },
    'tool disconnected': {
      subject: 'A tool was disconnected',
      what: 'A tool can no longer use your account.',
    },
    'passkey copied': {
      subject: 'A copied passkey was refused',
      what: 'Someone tried to sign in with a copy of one of your passkeys, and was refused. Remove that passkey and add a new one.',
      closing:
        'Also check “Security” in your settings. If you find something there that you don’t recognise, remove it and write to the address below.',
    },
    'device trusted': {
      subject: 'A device was trusted',
      what: 'For 30 days you can sign in on this device without the second step.',
    },
    'device no longer trusted': {
      subject: 'A device is no longer trusted',
      what: 'On a device that you had trusted, the second step is required again when you sign in.',
    },
    'invitation accepted': {
      subject: 'Your invitation was accepted',
      what: 'The first password or passkey for your account was set.',
    },
    'password reset on the host': {
      subject: 'Your password was reset',
      what: 'The operator set a new password for your account on the server. You have been signed out everywhere.',
      closing: ifAsked,
    },
    'signed out everywhere': {
      subject: 'You were signed out',
      what: 'Your sessions and connected tools were ended.',
    },
    'signed out elsewhere': {
      subject: 'Another device was signed out',
      what: 'One or more sessions of your account on other devices were ended.',
    },
    'token made': {
      subject: 'An access token was created',
      what: 'A script that has this token can now use your account with the permissions that it was given.',
    },
    'token revoked': {
      subject: 'An access token was revoked',
      what: 'A script that has this token can no longer use your account.',
    },
    'acted as you': {
      subject: 'The administrator is using your account',
      what: 'The administrator acts as you for at most 30 minutes and can change things. Your security page shows what was changed, and you can end it there.',
      closing: ifUnexpected,
    },
    'staff added': {
      subject: 'You are on the staff',
      what: 'The administrator has shared the administration with you. The console shows what you can do there.',
      closing: ifUnexpected,
    },
    'staff changed': {
      subject: 'Your permissions were changed',
      what: 'The administrator has changed what you can do in the console.',
      closing: ifUnexpected,
    },
    'staff removed': {
      subject: 'You are no longer on the staff',
      what: 'You can no longer use the console, and neither can your tools and access tokens.',
      closing: ifUnexpected,
    },
    'colleague added': {
      subject: 'A staff member was added',
      what: 'This user can now use the console with the permissions that you have given.',
    },
    'colleague changed': {
      subject: 'A staff member’s permissions were changed',
      what: 'What this staff member can do in the console has changed.',
    },
    'colleague removed': {
      subject: 'A staff member was removed',
      what: 'This user can no longer use the console. Rotate the secrets of applications and webhooks that they know.',
    },
    'removed from organisation': {
      subject: 'You were removed from an organisation',
      what: 'You are no longer a member of this organisation, and your tools can no longer act in it.',
      closing: ifUnexpected,
    },
    'ownership gained': {
      subject: 'You own an organisation',
      what: 'You are now an owner of this organisation. You can change everything in it, and delete it.',
      closing: ifUnexpected,
    },
    'ownership lost': {
      subject: 'You no longer own an organisation',
      what: 'You are no longer an owner of this organisation.',
      closing: ifUnexpected,
    },
    'wrong second steps': {
      subject: 'Someone is trying to sign in',
      what: 'Someone passed the first step of your sign-in, then entered many wrong codes for the second step. They were not signed in.',
    },
  },
  tool: 'Command-line client',
  passkey: (day) => `Passkey, added ${day}`,
  when: ({ time, device, address, place, name, by }) =>
    [
      ...(name === undefined ? [] : [`Name: ${name}`]),
      `When: ${time} (UTC)`,
      ...(by === undefined ? [] : [`By: ${by}`]),
      ...(device === null ? [] : [`Device: ${device}`]),
      ...(address === null ? [] : [`Address: ${address}${place === null ? '' : `, ${place}`}`]),
    ].join('; '),
  closing: `If this was you, you don’t need to do anything. ${ifNot}`,
  secure: 'This wasn’t me',
}
