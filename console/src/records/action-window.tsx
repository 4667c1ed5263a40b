import { useState } from 'react'
import type { Action } from '../api/document.ts'
import type { Item } from '../api/objects.ts'
import { fillPath } from '../api/resources.ts'
import { ObjectForm } from '../forms/object-form.tsx'
import { Button } from '../parts/button.tsx'
import parts from '../parts/parts.module.css'
import { Snippet } from '../parts/snippet.tsx'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'
import { Confirm } from './confirm.tsx'

interface ActionWindowProps {
  readonly action: Action
  readonly item: Item
  readonly itemPath: string
  readonly etag: string | undefined
  readonly name: string
  /** Who types, for drafts. */
  readonly who: string
  onDone(): void
  onClose(): void
}

/** Asks for the values of an action, carries it out, and shows what the server answered. */
export function ActionWindow(props: ActionWindowProps) {
  const { action, item, itemPath, etag, name, who, onDone, onClose } = props
  const { title, about, write, body } = action
  const [answer, setAnswer] = useState<unknown>()
  const [isDone, setDone] = useState(false)
  const path = fillPath(write.path, itemPath)
  const submit = { text: title, look: write.method === 'DELETE' ? ('bad' as const) : ('main' as const) }
  const finish = (got: unknown) => {
    setAnswer(got)
    setDone(true)
    onDone()
  }
  return (
    <Window title={title} isOpen isWide onClose={onClose}>
      {isDone ? (
        <>
          <p role="status">{words.record.done}</p>
          {answer !== undefined && (
            <Snippet label={words.record.answer} text={JSON.stringify(answer, null, 2)} />
          )}
          <div className={parts.actions}>
            <Button onClick={onClose}>{words.close}</Button>
          </div>
        </>
      ) : (
        <>
          {about && <p>{about}</p>}
          {body ? (
            <ObjectForm
              {...{ body, write, path, etag, submit }}
              about={item}
              draftKey={`${who} ${write.method} ${path}`}
              onSaved={(_, got) => finish(got)}
              onCancel={onClose}
            />
          ) : (
            <Confirm {...{ write, path, etag, name, submit }} onDone={finish} onCancel={onClose} />
          )}
        </>
      )}
    </Window>
  )
}
