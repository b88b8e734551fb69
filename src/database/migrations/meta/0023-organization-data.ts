import { statement } from '../counting.ts'

/** What members keep with an organisation has a column since they exist. */
export function organizationData() {
  return [
    "alter table organization add column public text not null default '{}'",
    "alter table organization add column private text not null default '{}'",
    'alter table organization add column version bigint not null default 0',
  ].map(statement)
}
