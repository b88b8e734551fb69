import { createVerifierAt } from './caching-verifier.ts'
import type { Verifier } from './checks.ts'
import { realClock, type VerifierOptions } from './options.ts'
import { type ProtectedResource, protectedResourceAt, type ResourceOptions } from './resource/protected-resource.ts'

export type { ActingAdministrator, Approval, Caller, Organization } from './caller.ts'
export type { Checked, Needed, Refused, Verifier } from './checks.ts'
export type { RequestLike } from './credential.ts'
export type { VerifierOptions } from './options.ts'
export type { Actor, ResourceCaller } from './resource/introspections.ts'
export type {
  Admission,
  ProtectedResource,
  ResourceMetadata,
  ResourceOptions,
} from './resource/protected-resource.ts'

export function createVerifier(options: VerifierOptions): Verifier {
  return createVerifierAt(options, realClock)
}

/** Protects a product's own server, such as one for assistants. */
export function protectedResource(options: ResourceOptions): ProtectedResource {
  return protectedResourceAt(options, realClock)
}
