import { useState } from 'react'
import type { Action } from '../api/document.ts'
import type { Item } from '../api/objects.ts'
import { keptAs } from '../api/preferences.ts'
import { fillPath } from '../api/resources.ts'
import { ObjectForm } from '../forms/object-form.tsx'
import { jobIn } from '../jobs/job.ts'
import { JobProgress } from '../jobs/job-progress.tsx'
import { Button } from '../parts/button.tsx'
import parts from '../parts/parts.module.css'
import { Snippet } from '../parts/snippet.tsx'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'
import { BuildOptions, buildPath, leaveOut, leftOut } from './build-options.tsx'
import { Confirm } from './confirm.tsx'

interface ActionWindowProps {
  readonly action: Action
  readonly item: Item
  readonly itemPath: string
  readonly etag: string | undefined
  readonly name: string
  onDone(): void
  onClose(): void
}

/** Asks for the values of an action, carries it out, and shows what the server answered. */
export function ActionWindow(props: ActionWindowProps) {
  const { action, item, itemPath, etag, name, onDone, onClose } = props
  const { title, about, write, body } = action
  const [answer, setAnswer] = useState<unknown>()
  const isBuild = write.path === buildPath
  const [left, setLeft] = useState(() => leftOut(item) ?? new Set<string>())
  const [isDone, setDone] = useState(false)
  const path = fillPath(write.path, itemPath)
  const job = isDone ? jobIn(answer, path) : undefined
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
          {job ? <JobProgress job={job} onEnd={onDone} /> : <p role="status">{words.record.done}</p>}
          {answer !== undefined && (
            <details>
              <summary>{words.record.answer}</summary>
              <Snippet label={words.record.answer} text={JSON.stringify(answer, null, 2)} />
            </details>
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
              draftKey={keptAs(`${write.method} ${path}`)}
              onSaved={(_, got) => finish(got)}
              onCancel={onClose}
            />
          ) : (
            <>
              {isBuild && <BuildOptions {...{ item, itemPath, left }} onLeave={setLeft} />}
              <Confirm
                {...{ write, path, etag, name, submit }}
                {...(isBuild && { before: () => leaveOut(itemPath, item, etag, left) })}
                onDone={finish}
                onCancel={onClose}
              />
            </>
          )}
        </>
      )}
    </Window>
  )
}
