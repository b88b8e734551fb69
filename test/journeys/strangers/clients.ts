import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findExecutable } from '../../processes/executable.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
export const examples = join(root, 'examples/clients')
const fetched = join(root, 'node_modules/.cache/clients')

/** A program of `examples/clients` that signs its users in with a library of others. */
export interface StrangerClient {
  readonly name: string
  readonly file: string
  /** The name in its registry. */
  readonly package: string
  /** A version that is installed beside another one, under a name that ends with it. */
  readonly version?: string
  readonly registry: 'npm' | 'pip' | 'go' | 'maven' | 'Debian'
  readonly callback: string
  /** Fields of its application that are not as for most. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly refreshes: boolean
}

const CALLBACK = '/callback'
const WITHOUT_PKCE = { require_pkce: false }
const IN_BROWSER = { kind: 'browser' }

export const CLIENTS: readonly StrangerClient[] = [
  of('npm', 'openid-client', 'openid-client.mjs'),
  of('npm', 'oauth4webapi', 'oauth4webapi.mjs'),
  {
    ...of('npm', 'Auth.js', 'auth-js.mjs', '/auth/callback/gatehouse'),
    ...{ package: '@auth/core', refreshes: false },
  },
  {
    ...of('npm', 'next-auth 4', 'next-auth.mjs', '/api/auth/callback/gatehouse'),
    ...{ package: 'next-auth', refreshes: false },
  },
  {
    ...of('npm', 'Better Auth’s generic OAuth', 'better-auth.mjs', '/api/auth/oauth2/callback/gatehouse'),
    package: 'better-auth',
  },
  {
    ...of('npm', 'Better Auth 1.7’s generic OAuth', 'better-auth.mjs', '/api/auth/callback/gatehouse'),
    ...{ package: 'better-auth-1.7', version: '1.7' },
  },
  of('npm', 'express-openid-connect', 'express-openid-connect.mjs'),
  of('npm', '@fastify/oauth2', 'fastify-oauth2.mjs'),
  { ...of('npm', 'Arctic', 'arctic.mjs'), package: 'arctic' },
  { ...of('npm', 'grant', 'grant.mjs', '/connect/gatehouse/callback'), refreshes: false },
  { ...of('npm', 'passport-oauth2', 'passport-oauth2.mjs'), refreshes: false },
  {
    ...of('npm', 'passport-openidconnect', 'passport-openidconnect.mjs'),
    ...{ refreshes: false, fields: WITHOUT_PKCE },
  },
  { ...of('pip', 'Authlib', 'authlib_flask.py'), package: 'authlib' },
  {
    ...of('pip', 'python-social-auth', 'social_auth.py', '/complete/oidc/'),
    package: 'social_auth_core',
  },
  {
    ...of('pip', 'django-allauth', 'django_allauth.py', '/accounts/oidc/gatehouse/login/callback/'),
    ...{ package: 'django_allauth', refreshes: false },
  },
  {
    ...of('pip', 'mozilla-django-oidc', 'django_oidc.py', '/oidc/callback/'),
    ...{ package: 'mozilla_django_oidc', refreshes: false },
  },
  {
    ...of('pip', 'Flask-pyoidc', 'pyoidc_flask.py'),
    ...{ package: 'flask_pyoidc', fields: WITHOUT_PKCE },
  },
  {
    ...of('Debian', 'omniauth-openid-connect', 'omniauth.rb', '/auth/gatehouse/callback'),
    ...{ refreshes: false, fields: WITHOUT_PKCE },
  },
  { ...of('go', 'go-oidc with x/oauth2', 'go-oidc.go'), package: 'github.com/coreos/go-oidc/v3' },
  { ...of('maven', 'Nimbus', 'nimbus.java'), package: 'oauth2-oidc-sdk' },
  {
    ...of('maven', 'Spring Security', 'spring.java', '/login/oauth2/code/gatehouse'),
    package: 'spring-boot-starter-security-oauth2-client',
  },
]

function of(
  ...[registry, name, file, callback = CALLBACK]: [StrangerClient['registry'], string, string, string?]
): StrangerClient {
  return { registry, name, package: name, file, callback, refreshes: true }
}

/** Pages of their own, of an application of kind `browser`; the page itself is the callback. */
export const BROWSER_CLIENTS: readonly StrangerClient[] = [
  { ...of('npm', 'oidc-client-ts', 'oidc-client-ts.mjs', '/'), fields: IN_BROWSER },
  { ...of('npm', 'AppAuth-JS', 'appauth.mjs', '/'), package: '@openid/appauth', fields: IN_BROWSER },
]

/** A program that is only configured, by the file; a test of its own starts it. */
export interface StrangerProgram {
  readonly name: string
  readonly file: string
  readonly package: string
  /** A registry, or the name of a program that is built by itself. */
  readonly registry: StrangerClient['registry'] | 'oauth2-proxy'
  readonly refreshes: boolean
  readonly needs: string
}

export const PROGRAMS: readonly StrangerProgram[] = [
  {
    ...{ registry: 'Debian', name: 'Apache’s mod_auth_openidc', package: 'libapache2-mod-auth-openidc' },
    ...{ file: 'apache.conf', refreshes: true, needs: 'PKCE by `OIDCPKCEMethod S256`' },
  },
  {
    ...{ registry: 'oauth2-proxy', name: 'oauth2-proxy', package: 'github.com/oauth2-proxy/oauth2-proxy/v7' },
    ...{ file: 'oauth2-proxy.cfg', refreshes: true, needs: 'callback `/oauth2/callback`' },
  },
  {
    ...{ registry: 'pip', name: 'JupyterHub’s GenericOAuthenticator', package: 'oauthenticator' },
    ...{ file: 'jupyterhub_config.py', refreshes: false, needs: 'callback `/hub/oauth_callback`' },
  },
  {
    ...{ registry: 'Debian', name: 'Dovecot', package: 'dovecot-imapd' },
    ...{ file: 'dovecot.conf', refreshes: false, needs: 'a product scope and an application of `kind: service`' },
  },
]

/** The folder that `scripts/clients.mjs` fetched for it, with the program beside it. */
export function folderOf({ registry }: Pick<StrangerProgram, 'registry'>): string {
  return join(fetched, registry)
}

export function canRun({ registry }: Pick<StrangerProgram, 'registry'>): boolean {
  if (registry === 'Debian') return existsSync(OMNIAUTH) && ruby !== undefined
  return existsSync(join(fetched, registry, 'complete'))
}

const ruby = findExecutable('ruby')
const OMNIAUTH = '/usr/share/doc/ruby-omniauth-openid-connect'

/** Registries that did not deliver, as `scripts/clients.mjs` names them: their clients are left out. */
export function isLeftOut({ registry }: Pick<StrangerProgram, 'registry'>): boolean {
  return (process.env.TEST_CLIENTS_WITHOUT ?? '').split(' ').includes(registry)
}
