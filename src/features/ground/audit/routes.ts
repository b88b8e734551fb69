import { protectedRoute } from '../../../http/route.ts'
import { AuditEntries, ListAuditEntries } from './input.ts'
import { listAuditEntries } from './log.ts'

export const auditRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_audit_entries',
    summary: 'List who did what to what, when and from where, newest first',
    scope: 'admin:audit:read',
    input: ListAuditEntries,
    output: AuditEntries,
    handle: ({ platform }, filter) => listAuditEntries(platform, filter),
  }),
] as const
