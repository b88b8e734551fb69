import { protect } from 'gatehouse/next'
import { verifier } from '../../../lib/verifier'

// Look up your user by `userId`: an `email` may be unverified, and can change hands.
export const GET = protect(verifier, (_request, caller) => Response.json(caller))
