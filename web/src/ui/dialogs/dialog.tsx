import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components/Modal'
import { CloseButton } from './close-button.tsx'

interface Props {
  readonly title: ReactNode
  readonly width?: keyof typeof widths
  /** `top`: what stands at its head does not move when its content changes. */
  readonly place?: 'middle' | 'top'
  onClose(): void
  readonly children: ReactNode
}

const widths = { narrow: 'sm:max-w-md', wide: 'sm:max-w-2xl', widest: 'sm:max-w-2xl lg:max-w-5xl' } as const
const places = { middle: 'items-end sm:items-center', top: 'items-start sm:pt-[12dvh]' } as const

/** The head with its close button stays in view; a long content scrolls below it. */
export function Dialog({ title, width = 'narrow', place = 'middle', onClose, children }: Props) {
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(open) => open || onClose()}
      isDismissable
      className={`fixed inset-0 z-40 grid bg-veil p-3 backdrop-blur-xs sm:justify-items-center sm:p-6 ${places[place]}`}
    >
      <Modal
        className={`appear flex w-full flex-col rounded-xl border border-line bg-surface shadow-float max-sm:max-h-[calc(100dvh-4.5rem)] ${place === 'top' ? 'sm:max-h-[calc(88dvh-1.5rem)]' : 'sm:max-h-[calc(100dvh-3rem)]'} ${widths[width]}`}
      >
        <AriaDialog className="flex min-h-0 flex-col outline-none">
          <header className="flex items-start justify-between gap-4 px-5 pt-4 pb-3 sm:px-6 sm:pt-5">
            <Heading slot="title" className="wrap-anywhere min-w-0 font-semibold text-dialog leading-snug">
              {title}
            </Heading>
            <div className="-mt-1">
              <CloseButton onClose={onClose} />
            </div>
          </header>
          <div className="flex min-h-0 flex-col gap-4 scroll-pb-20 overflow-y-auto px-5 pt-1 pb-5 sm:px-6 sm:pb-6">
            {children}
          </div>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
