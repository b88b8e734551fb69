import { Done, Nothing } from '../../../http/requests/body.ts'
import { sessionRoute } from '../../../http/route.ts'
import { StaffMembers, UpdateStaff } from './input.ts'
import { listStaff, updateStaff } from './staff.ts'

export const staffRoutes = [
  sessionRoute({
    method: 'POST',
    path: '/api/admin/list_staff',
    role: 'administrator',
    summary: 'The users who share the administration, and the scopes that each holds; in a fresh session',
    input: Nothing,
    output: StaffMembers,
    needsFreshSession: true,
    handle: listStaff,
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/admin/update_staff',
    role: 'administrator',
    summary: 'Give a user scopes of administration, or take them away; in a fresh session, with letters to both',
    input: UpdateStaff,
    output: Done,
    limit: 'staff-changes',
    needsFreshSession: true,
    handle: updateStaff,
  }),
] as const
