import { Done, Nothing } from '../../../http/requests/body.ts'
import { protectedRoute } from '../../../http/route.ts'
import { OneById } from '../../../rules/ids.ts'
import { Replies, Reply, Saved } from './input.ts'
import { deleteReply, listReplies, saveReply } from './replies.ts'

/** Answers that are often given, shared by everybody who answers feedback. */
export const replyRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_replies',
    summary: 'The saved replies, by their names',
    scope: 'admin:feedback:read',
    input: Nothing,
    output: Replies,
    handle: ({ platform }) => listReplies(platform),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/save_reply',
    summary: 'Save a reply; it replaces the one of the same name',
    scope: 'admin:feedback:write',
    input: Reply,
    output: Saved,
    handle: saveReply,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/delete_reply',
    summary: 'Delete a saved reply',
    scope: 'admin:feedback:write',
    input: OneById,
    output: Done,
    handle: (call, { id }) => deleteReply(call, id),
  }),
] as const
