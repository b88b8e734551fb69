import { protect } from 'gatehouse/next'
import { verifier } from '../../../lib/verifier'

export const GET = protect(verifier, (_request, caller) => Response.json(caller))
