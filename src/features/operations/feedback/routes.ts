import { protectedRoute } from '../../../http/route.ts'
import { replyToFeedback, submitFeedback, updateFeedback } from './feedback.ts'
import {
  Feedback,
  Feedbacks,
  ListFeedbacks,
  ListOwnFeedbacks,
  OwnFeedbacks,
  ReplyToFeedback,
  SubmitFeedback,
  Submitted,
  UpdateFeedback,
} from './input.ts'
import { listFeedbacks, listOwnFeedbacks } from './listing.ts'

export const feedbackRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/submit_feedback',
    summary: 'Send feedback',
    scope: 'operations:feedback:write',
    input: SubmitFeedback,
    output: Submitted,
    limit: 'feedback',
    idempotency: 'by key',
    handle: async ({ platform, shard, caller, keyed }, input) => ({
      id: await submitFeedback(platform, shard, caller.user.id, input, keyed),
    }),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/list_own_feedbacks',
    summary: "List the caller's own feedback, newest first, with its status and the answers",
    scope: 'operations:feedback:read',
    input: ListOwnFeedbacks,
    output: OwnFeedbacks,
    handle: ({ platform, shard, caller }, page) => listOwnFeedbacks(platform, shard, caller.user.id, page),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_feedbacks',
    summary: "List everyone's feedback, newest first",
    scope: 'admin:feedback:read',
    input: ListFeedbacks,
    output: Feedbacks,
    handle: ({ platform }, filter) => listFeedbacks(platform, filter),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/update_feedback',
    summary: 'Set the status or the note of feedback',
    scope: 'admin:feedback:write',
    input: UpdateFeedback,
    output: Feedback,
    handle: (call, input) => updateFeedback(call, input),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/reply_to_feedback',
    summary: 'Reply to feedback; the sender gets the reply as a notification',
    scope: 'admin:feedback:write',
    input: ReplyToFeedback,
    output: Feedback,
    limit: 'notifications-published',
    idempotency: 'by key',
    handle: (call, input) => replyToFeedback(call, input, call.keyed),
  }),
] as const
