import type { Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'

type Trouble = Output<'/api/admin/get_overview'>['troubles'][number]

/** Uses the words of the log and of `gatehouse doctor`: they are for the same person on the same host. */
export function Troubles({ troubles }: { readonly troubles: readonly Trouble[] }) {
  const { overview } = useTexts()
  if (troubles.length === 0) return null
  return (
    <Notice look="danger" title={overview.troublesTitle(troubles.length)}>
      <ul className="mt-1 flex flex-col gap-1" lang="en">
        {troubles.map(({ about, words }) => (
          <li key={words}>
            <span className="font-medium text-ink">{about}</span>: {withCommands(words)}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

function withCommands(words: string) {
  return words.split('`').map((part, at) => (at % 2 === 0 ? part : <code key={part}>{part}</code>))
}
