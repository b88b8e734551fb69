import { useEffect, useState } from 'react'
import { ApiError } from '../src/server/api.ts'
import { say } from '../src/toasts.ts'
import { ArchMark } from '../src/ui/arch-mark.tsx'
import { Card } from '../src/ui/card.tsx'
import { Button } from '../src/ui/controls/button.tsx'
import { ConfirmDialog } from '../src/ui/dialogs/confirm-dialog.tsx'
import { Failure } from '../src/ui/messages/failure.tsx'
import { Notice } from '../src/ui/messages/notice.tsx'
import { Spinner } from '../src/ui/messages/spinner.tsx'
import { ToastRegion } from '../src/ui/messages/toast-region.tsx'
import { Part } from './part.tsx'

export function Messages() {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  useEffect(() => say('Reply sent.', { action: { label: 'Undo', act: () => undefined } }), [])
  return (
    <div className="grid grid-cols-2 gap-8">
      <Part name="Notices">
        {(['info', 'done', 'warning', 'danger'] as const).map((look) => (
          <Notice key={look} look={look} title={look}>
            What happened, and what to do next.
          </Notice>
        ))}
        <Failure error={new ApiError(0, { code: 'NETWORK' })} action={<Button size="small">Try again</Button>} />
        <Spinner />
        <ArchMark icon="bell" />
      </Part>
      <Part name="Card, dialog and toast">
        <Card title="Card" lead="What it is about." footer={<Button look="primary">Save</Button>}>
          <p>Its content.</p>
        </Card>
        <p>
          <Button look="warn" onPress={() => setOpen(true)}>
            Open the dialog
          </Button>
        </p>
        <ToastRegion />
      </Part>
      {isOpen && (
        <ConfirmDialog
          title="Revoke the token?"
          text="Scripts that use it stop working immediately."
          action="Revoke"
          form={{ props: { action: close }, isPending: false, failure: null }}
          onClose={close}
        />
      )}
    </div>
  )
}
