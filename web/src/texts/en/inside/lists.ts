import { plural } from '../plural.ts'

export const listsTexts = {
  lists: {
    order: 'Order',
    orders: { newest: 'Newest first', oldest: 'Oldest first', email: 'By email address' },
    columns: 'Columns',
    askedIsMissing:
      'The item this link opens isn’t in this list. It may have been removed, be on another page or be hidden by a filter.',
    pageEmpty: 'Nothing is left on this page',
    pageEmptyText: 'The list is shorter than before.',
    lastPage: 'Go to the last page',
    pageSize: 'Rows per page',
    perPage: (rows: number) => `${rows.toLocaleString('en')} per page`,
    marked: 'Selected',
    choose: (name: string) => `Select ${name}`,
    chooseAll: 'Select all on this page',
    chosen: (rows: number) => `${plural(rows, 'row', 'rows')} selected`,
    signOutMany: (users: number) => `Sign ${plural(users, 'user', 'users')} out everywhere?`,
    csv: 'Export CSV',
    csvProgress: (rows: number) => `${plural(rows, 'row', 'rows')} exported`,
  },
}
