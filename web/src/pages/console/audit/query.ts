import { call } from '../../../server/api.ts'
import { consoleKeys, createdIn, type FiltersOf, listQuery } from '../queries.ts'
import { actionsNamed } from './action-groups.ts'

/** Apart from the queries of the other pages, because it needs every act there is. */
export function auditQuery(view: FiltersOf<'audit'>) {
  const { when, action, ...values } = view.values
  const filter = {
    ...values,
    ...(action && { action: actionsNamed(action) }),
    ...createdIn(when),
  }
  return listQuery(consoleKeys.audit, filter, view, (part) =>
    call('/api/admin/list_audit_entries', { ...filter, ...part }),
  )
}
