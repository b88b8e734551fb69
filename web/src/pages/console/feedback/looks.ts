export const feedbackLooks = { new: 'accent', in_progress: 'warning', done: 'plain' } as const
