import { protectedRoute } from '../../http/route.ts'
import { actorOf } from '../audit/audit.ts'
import { countAct } from '../limits/acts.ts'
import { submitFeedback, updateFeedback } from './feedback.ts'
import { Feedback, Feedbacks, ListFeedbacks, SubmitFeedback, Submitted, UpdateFeedback } from './input.ts'
import { listFeedbacks } from './listing.ts'

export const feedbackRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/submit_feedback',
    summary: 'Send feedback',
    scope: 'operations:feedback:write',
    input: SubmitFeedback,
    output: Submitted,
    idempotency: 'by key',
    handle: async (call, input) => {
      await countAct(call, 'feedback')
      const { platform, shard, caller, keyed } = call
      return { id: await submitFeedback(shard, caller.user.id, input, platform.now(), keyed) }
    },
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
    summary: 'Set the status or the note of a feedback',
    scope: 'admin:feedback:write',
    input: UpdateFeedback,
    output: Feedback,
    handle: (call, input) => updateFeedback(call.platform, actorOf(call), input),
  }),
] as const
