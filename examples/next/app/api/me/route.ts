import { protect } from 'gatehouse/next'
import { verifier } from '../../../lib/verifier'

// Your user is whoever has this `userId`. An `email` can be unverified, or somebody else's tomorrow.
export const GET = protect(verifier, (_request, caller) => Response.json(caller))
