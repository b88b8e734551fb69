import type { Ask } from '../load/generator.ts'

/** The largest that a caller without a credential can send. */
const BODY_BYTES = 16 * 1024
const HEADER_BYTES = 14 * 1024

const SIGN_IN = '/api/auth/sign-in/email'
const SOCIAL = '/api/auth/sign-in/social'
const VERIFY = '/api/auth/email-otp/verify-email'
const DEVICE = '/api/oauth/device_authorization'
const SESSION = '/api/auth/get-session'

/** Requests of a stranger that could hold up everybody else; `url` is a path. */
export const ASKED_BY_STRANGERS: Readonly<Record<string, Ask>> = {
  'small, for comparison': got('/api/health'),
  'JSON of NUL escapes': posted(SIGN_IN, `{"email":"${filled('\\u0000', BODY_BYTES - 12)}"}`),
  'JSON nested as deep as it goes': posted(SIGN_IN, `${'['.repeat(BODY_BYTES / 2)}${']'.repeat(BODY_BYTES / 2)}`),
  'JSON of many keys': posted(SIGN_IN, `{${keys(BODY_BYTES - 20)}}`),
  'JSON of one long array': posted(SIGN_IN, `{"email":[${filled('0,', BODY_BYTES - 16)}0]}`),
  'a long string for the address rule': posted(SIGN_IN, `{"email":"${filled('a.', BODY_BYTES - 40)}@a","password":""}`),
  'a long code': posted(VERIFY, `{"email":"a@b.cd","otp":"${filled('1', BODY_BYTES - 60)}"}`),
  'a long return address': posted(
    SOCIAL,
    `{"provider":"provider_a","callbackURL":"/${filled('../', BODY_BYTES - 80)}"}`,
  ),
  'an anonymous change of address': posted('/api/auth/change-email', `{${keys(BODY_BYTES - 20)}}`),
  'a form of many parameters': form('/api/oauth/token', filled('a&', BODY_BYTES)),
  'a form of escapes': form(DEVICE, `scope=${filled('%20', BODY_BYTES - 10)}`),
  'a form of many scopes': form(DEVICE, `client_id=cli-client&scope=${filled('a:b:read+', BODY_BYTES - 40)}`),
  'a cookie header of many cookies': got(SESSION, { cookie: filled('a=b;', HEADER_BYTES) }),
  'a cookie of white space': got(SESSION, { cookie: `a${filled(' ', HEADER_BYTES)}=b` }),
  'a long bearer token': got(SESSION, { authorization: `Bearer ghs_${filled('a', HEADER_BYTES)}` }),
  'a long bookmark': got('/api/health', { 'x-db-meta-bookmark': `${filled('a', HEADER_BYTES)}~` }),
  'many hops': got('/api/health', { 'x-forwarded-for': filled('127.0.0.1,', HEADER_BYTES) }),
  'a long user agent': got('/api/health', { 'user-agent': filled('Chrome/1 ', HEADER_BYTES) }),
  'a long path': got(`/api/${filled('a/', HEADER_BYTES)}`),
  'a long query': got(`/api/verify?${filled('a&', HEADER_BYTES)}`),
  'the description of the interface': got('/api/openapi.json'),
  'the page of the interface': got('/api/docs'),
}

function got(url: string, headers: Readonly<Record<string, string>> = {}): Ask {
  return { url, method: 'GET', headers }
}

function posted(url: string, body: string, type = 'application/json'): Ask {
  return { url, method: 'POST', headers: { 'content-type': type }, body }
}

function form(url: string, body: string): Ask {
  return posted(url, body, 'application/x-www-form-urlencoded')
}

function filled(unit: string, bytes: number): string {
  return unit.repeat(Math.floor(bytes / unit.length))
}

function keys(bytes: number): string {
  return Array.from({ length: Math.floor(bytes / 10) }, (_, i) => `"${String(i).padStart(5, '0')}":0`).join()
}
