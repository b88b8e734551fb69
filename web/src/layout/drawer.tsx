import type { ReactNode } from 'react'
import { Dialog, Modal, ModalOverlay } from 'react-aria-components/Modal'
import { useTexts } from '../texts/texts.tsx'

interface Props {
  onClose(): void
  readonly children: ReactNode
}

export function Drawer({ onClose, children }: Props) {
  const { nav } = useTexts()
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(open) => open || onClose()}
      isDismissable
      className="fixed inset-0 z-40 bg-veil backdrop-blur-xs lg:hidden"
    >
      <Modal className="appear h-full w-72 max-w-[85vw] border-line border-r bg-surface shadow-float">
        <Dialog aria-label={nav.label} className="h-full overflow-y-auto outline-none">
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
