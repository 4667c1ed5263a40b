import type { Write } from '../../api/document.ts'
import { valueAt } from '../../api/objects.ts'
import { useAttempt } from '../../forms/use-attempt.ts'
import { Window } from '../../parts/window.tsx'
import { screenWords } from '../../words/words.ts'
import { Rehearsed } from './rehearsed.tsx'
import type { Target } from './sample.tsx'
import { UnknownOutcome } from './unknown-outcome.tsx'

interface UndoWindowProps {
  readonly write: Write
  /** The path of the undo of this bulk change. */
  readonly path: string
  readonly target: Target
  /** Called with the id of the bulk change that puts this one back. */
  onStarted(id: string): void
  onClose(): void
}

const body = { data: { type: 'bulk_change' } }

/** Puts back a bulk change, after a look at which objects have changed since. */
export function UndoWindow({ write, path, target, onStarted, onClose }: UndoWindowProps) {
  const { undo } = screenWords.bulkChanges
  const attempts = useAttempt(write, path, 'undo')
  const onAnswer = (answer: unknown) => onStarted(String(valueAt(answer, 'data.id')))
  return (
    <Window isWide title={undo.title} isOpen onClose={onClose}>
      {attempts.unknown ? (
        <UnknownOutcome {...{ attempts, onAnswer }} />
      ) : (
        <Rehearsed {...{ attempts, target, body, onAnswer, onClose }} isUndo submit={undo.run}>
          <p>{undo.about}</p>
        </Rehearsed>
      )}
    </Window>
  )
}
