import type { Meta } from '../../platform/store.ts'
import type { AuditEntryTable } from '../../store/schema.ts'

export function insertEntry(meta: Meta, row: AuditEntryTable) {
  return meta.insertInto('audit_entry').values(row)
}
