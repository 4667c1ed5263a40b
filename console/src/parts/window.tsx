import { Dialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import css from './parts.module.css'

interface WindowProps {
  readonly title: string
  readonly isOpen: boolean
  readonly isWide?: boolean
  /** Without it, the window closes only by what is in it. */
  onClose?(): void
  readonly children: ReactNode
}

/** A window over the page, which takes the focus until it is closed. */
export const Window = ({ title, isOpen, isWide, onClose, children }: WindowProps) => (
  <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose?.()}>
    <Dialog.Portal>
      <Dialog.Backdrop className={css.backdrop} />
      <Dialog.Popup className={[css.dialog, isWide && css.wide].filter(Boolean).join(' ')}>
        <Dialog.Title>{title}</Dialog.Title>
        {children}
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
)
