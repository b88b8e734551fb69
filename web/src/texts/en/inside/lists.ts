import { plural } from '../plural.ts'

export const listsTexts = {
  lists: {
    order: 'Order',
    orders: {
      newest: 'Newest first',
      oldest: 'Oldest first',
      email: 'By email address',
      last_sign_in: 'Last sign-in first',
    },
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
    options: (active: number) => (active > 0 ? `Options (${active.toLocaleString('en')})` : 'Options'),
    ranges: {
      any: 'Any time',
      today: 'Today',
      '7d': 'Last 7 days',
      '30d': 'Last 30 days',
      month: 'This month',
      'last-month': 'Last month',
      dates: 'Between two days',
    },
    from: 'From',
    to: 'To',
    daysReversed: 'The last day is before the first.',
    exportChosen: 'Export selected',
    csv: 'Export CSV',
    csvProgress: (rows: number) => `${plural(rows, 'row', 'rows')} exported`,
  },
}
