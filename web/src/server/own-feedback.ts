import { keepPreviousData } from '@tanstack/react-query'
import { call } from './api.ts'

export const ownFeedbackKey = ['own-feedback']
export const ownFeedbackPageSize = 10

export function ownFeedbackQuery(page: number) {
  return {
    queryKey: [...ownFeedbackKey, page],
    queryFn: () => call('/api/list_own_feedbacks', { page, page_size: ownFeedbackPageSize }),
    placeholderData: keepPreviousData,
  }
}
