import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components/Modal'

interface Props {
  readonly title: string
  readonly isOpen: boolean
  readonly width?: 'narrow' | 'wide'
  onClose(): void
  readonly children: ReactNode
}

export function Dialog({ title, isOpen, width = 'narrow', onClose, children }: Props) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => open || onClose()}
      isDismissable
      className="fixed inset-0 z-40 grid items-end overflow-y-auto bg-veil p-3 backdrop-blur-[2px] sm:place-items-center sm:p-6"
    >
      <Modal
        className={`appear w-full rounded-xl border border-line bg-surface shadow-float ${width === 'wide' ? 'sm:max-w-2xl' : 'sm:max-w-md'}`}
      >
        <AriaDialog className="flex flex-col gap-4 p-5 outline-none sm:p-6">
          <Heading slot="title" className="font-semibold text-[1.133rem] leading-snug">
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
