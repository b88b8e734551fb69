import { protect } from 'gatehouse/next'
import { verifier } from '../../../lib/verifier'

// A member of an organisation passes whose roles in the active one allow it.
export const POST = protect(
  verifier,
  (_request, caller) => Response.json({ organization: caller.organization?.slug }, { status: 201 }),
  { permission: 'project:create' },
)
