import { protectedRoute } from '../../../http/route.ts'
import { AuditEntries, ListAuditEntries } from './input.ts'
import { listNamedEntries, type NamesOfSubjects } from './log.ts'

export function auditRoutes(namesOfSubjects: NamesOfSubjects) {
  return [
    protectedRoute({
      method: 'POST',
      path: '/api/admin/list_audit_entries',
      summary: 'List who did what to what, when and from where, newest first',
      scope: 'admin:audit:read',
      input: ListAuditEntries,
      output: AuditEntries,
      handle: ({ platform }, filter) => listNamedEntries(platform, namesOfSubjects, filter),
    }),
  ] as const
}
