import type { SignedInCall } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { client, isOwnRedirect } from '../client.ts'
import type { BeginAuthorization } from '../input.ts'
import { redirectTo } from './redirect.ts'
import { parseScopes } from './requested-scopes.ts'
import { newRequest } from './requests.ts'
import * as store from './store.ts'
import { findPendingByUserCode } from './user-codes.ts'

/** What the page found in its address becomes a request that this user can decide. */
export function beginAuthorization(call: SignedInCall, asked: BeginAuthorization) {
  return asked.user_code === undefined ? beginCodeFlow(call, asked) : beginDeviceFlow(call, asked.user_code)
}

async function beginDeviceFlow(call: SignedInCall, userCode: string) {
  const request = await findPendingByUserCode(call, userCode)
  if (!request)
    throw new Refusal('NOT_FOUND', 'No device is waiting for this code; check it, or start again.')
  return { request_id: request.id }
}

/** Nothing is ever redirected to but a known client's own address. */
async function beginCodeFlow(call: SignedInCall, asked: BeginAuthorization) {
  const { client_id, redirect_uri, state } = asked
  if (client_id !== client.id)
    throw new Refusal('INVALID_REQUEST', `This client is not known; the one client here is ${client.id}.`)
  if (redirect_uri === undefined || !isOwnRedirect(redirect_uri)) {
    throw new Refusal('INVALID_REQUEST', 'This redirect address is not one of the client.')
  }
  const checked = check(asked)
  if ('error' in checked) return { redirect_to: redirectTo(call, redirect_uri, state, checked) }

  const request = {
    ...newRequest(call, 'code', checked.scopes),
    user_id: call.caller.user.id,
    redirect_uri,
    client_state: state ?? null,
    code_challenge: checked.codeChallenge,
  }
  if (!(await store.insertRequest(call.platform.meta, request))) {
    throw new Refusal('UNAUTHORIZED', 'This account has just been deleted.')
  }
  return { request_id: request.id }
}

/** RFC 6749 section 4.1.2.1, RFC 7636 section 4.4.1. */
function check(asked: BeginAuthorization) {
  const { response_type, code_challenge, code_challenge_method } = asked
  if (!response_type) return fault('invalid_request', 'response_type is missing.')
  if (response_type !== 'code') return fault('unsupported_response_type', 'Only the code flow is offered.')
  if (!code_challenge) return fault('invalid_request', 'code_challenge is missing.')
  if (code_challenge_method !== 'S256') return fault('invalid_request', 'code_challenge_method must be S256.')
  if (!/^[\w-]{43}$/.test(code_challenge)) return fault('invalid_request', 'code_challenge is malformed.')
  const scopes = parseScopes(asked.scope)
  if (!scopes) return fault('invalid_scope', 'Name at least one scope, and only known ones.')
  return { codeChallenge: code_challenge, scopes }
}

function fault(error: string, error_description: string) {
  return { error, error_description }
}
