import { useState } from 'react'
import { send } from '../api/client.ts'
import { ApiProblem } from '../api/problem.ts'
import { Button } from '../parts/button.tsx'
import { Faults, faultTexts } from '../parts/faults.tsx'
import parts from '../parts/parts.module.css'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'

interface DeleteWindowProps {
  readonly name: string
  readonly itemPath: string
  readonly etag: string | undefined
  /** The server refuses if the object is no longer the version that was read. */
  readonly hasVersion: boolean
  readonly isDeleting: boolean
  onDeleted(): void
  onClose(): void
}

/** Asks before an object is deleted. */
export function DeleteWindow({
  name,
  itemPath,
  etag,
  hasVersion,
  isDeleting,
  onDeleted,
  onClose,
}: DeleteWindowProps) {
  const [faults, setFaults] = useState<readonly string[]>([])
  const remove = () =>
    send({ method: 'DELETE', path: itemPath, headers: hasVersion && etag ? { 'if-match': etag } : {} })
      .then(onDeleted)
      .catch((error: unknown) =>
        setFaults(
          error instanceof ApiProblem && error.status === 412 ? [words.record.changed] : faultTexts(error),
        ),
      )
  return (
    <Window title={words.record.confirmTitle(name)} isOpen={isDeleting} onClose={onClose}>
      <p>{words.record.confirmAbout}</p>
      <Faults texts={faults} />
      <div className={parts.actions}>
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button look="bad" onClick={remove}>
          {words.remove}
        </Button>
      </div>
    </Window>
  )
}
