import { useMutation } from '@tanstack/react-query'
import { dropDrafts } from '../forms/draft.ts'
import { useTexts } from '../texts/texts.tsx'
import { say } from '../toasts.ts'
import { wordsOf } from '../ui/messages/failure.tsx'
import { signOut } from './auth.ts'

/** A full page load leaves nothing of the user in memory. A user who is still signed in must learn of it. */
export function useSignOut(next: string) {
  const texts = useTexts()
  return useMutation({
    mutationFn: signOut,
    onSuccess: () => {
      dropDrafts()
      location.assign(next)
    },
    onError: (error) => say(wordsOf(texts, error), { isFailure: true }),
  })
}
