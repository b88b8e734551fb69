import type { Entry } from '../history.ts'
import { actingStaysEnded, grantsStayEnded, oldPasswordsLeaveNoSession, sessionsStayEnded } from './access.ts'
import { nothingBreaks, processesAgree, quietRoundsAreAnswered, unreadIsTheList } from './answers.ts'
import { codesCountOnce } from './codes.ts'
import { auditListsAreWhole, eachCreditCountsOnce, feedbackIsKept } from './content.ts'
import { Facts, type Violation } from './facts.ts'
import { listsAreWhole, ownMarksAreRead, publishedIsThere, readsAreMonotonic } from './notifications.ts'
import { namesAreNewest, passwordsAreReplaced, rightPasswordsOpen } from './registers.ts'
import { versionsGrowByOne } from './settings.ts'
import { deletedUsersAreGone, usersAreKept } from './users.ts'

const RULES = [
  nothingBreaks,
  quietRoundsAreAnswered,
  sessionsStayEnded,
  grantsStayEnded,
  actingStaysEnded,
  oldPasswordsLeaveNoSession,
  passwordsAreReplaced,
  rightPasswordsOpen,
  namesAreNewest,
  versionsGrowByOne,
  feedbackIsKept,
  eachCreditCountsOnce,
  listsAreWhole,
  auditListsAreWhole,
  readsAreMonotonic,
  ownMarksAreRead,
  publishedIsThere,
  codesCountOnce,
  deletedUsersAreGone,
  usersAreKept,
  processesAgree,
  unreadIsTheList,
]

/** Every promise that the history breaks. */
export function check(entries: readonly Entry[]): readonly Violation[] {
  const facts = new Facts(entries)
  return RULES.flatMap((rule) => rule(facts))
}
