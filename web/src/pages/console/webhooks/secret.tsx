import { useTexts } from '../../../texts/texts.tsx'
import { CopyButton } from '../../../ui/controls/copy-button.tsx'
import { intoView } from '../../../ui/messages/into-view.ts'
import { Notice } from '../../../ui/messages/notice.tsx'

/** Shows the secret, which happens only once. */
export function Secret({ secret }: { readonly secret: string }) {
  const { webhooks } = useTexts()
  return (
    <div ref={intoView} className="mt-4 scroll-my-4">
      <Notice
        look="done"
        title={webhooks.secretTitle}
        action={<CopyButton text={secret} label={webhooks.copySecret} />}
      >
        <code className="wrap-anywhere">{secret}</code>
      </Notice>
    </div>
  )
}
