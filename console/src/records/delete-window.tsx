import type { Write } from '../api/document.ts'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'
import { Confirm } from './confirm.tsx'

interface DeleteWindowProps {
  readonly name: string
  readonly write: Write
  readonly itemPath: string
  readonly etag: string | undefined
  readonly isDeleting: boolean
  onDeleted(): void
  onClose(): void
}

/** Asks before an object is deleted. */
export const DeleteWindow = ({
  name,
  write,
  itemPath,
  etag,
  isDeleting,
  onDeleted,
  onClose,
}: DeleteWindowProps) => (
  <Window title={words.record.confirmTitle(name)} isOpen={isDeleting} onClose={onClose}>
    <p>{words.record.confirmAbout}</p>
    <Confirm
      {...{ name, write, etag }}
      path={itemPath}
      submit={{ text: words.remove, look: 'bad' }}
      onDone={onDeleted}
      onCancel={onClose}
    />
  </Window>
)
