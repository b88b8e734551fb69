import { statement } from '../counting.ts'

export function hooks() {
  return [
    "alter table settings add column hooks text not null default '{}'",
    'alter table settings add column hooks_version bigint not null default 1',
  ].map(statement)
}
