import { type ReactNode, useState } from 'react'
import type { Action } from '../api/document.ts'
import type { Item } from '../api/objects.ts'
import { keptAs } from '../api/preferences.ts'
import { fillPath } from '../api/resources.ts'
import { ObjectForm } from '../forms/object-form.tsx'
import { UploadForm } from '../forms/upload-form.tsx'
import { Button } from '../parts/button.tsx'
import parts from '../parts/parts.module.css'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'
import { BuildOptions, buildPath, leaveOut, leftOut } from './build-options.tsx'
import { Confirm } from './confirm.tsx'
import { Outcome } from './outcome.tsx'

interface ActionWindowProps {
  readonly action: Action
  /** The object that it is about, with its version; the actions of lists have none. */
  readonly item?: Item
  readonly etag?: string | undefined
  /** The path of the object or of the list. */
  readonly at: string
  readonly name: string
  /** The query of the request. */
  readonly query?: string
  /** What stands above the form. */
  readonly children?: ReactNode
  onDone(): void
  onClose(): void
}

/** Asks for the values of an action, carries it out, and shows what the server answered. */
export function ActionWindow(props: ActionWindowProps) {
  const { action, item, at, etag, name, query = '', onDone, onClose } = props
  const { title, about, write, body, idAt } = action
  const [answer, setAnswer] = useState<unknown>()
  const isBuild = item !== undefined && write.path === buildPath
  const [left, setLeft] = useState(() => (item && leftOut(item)) ?? new Set<string>())
  const [isDone, setDone] = useState(false)
  const path = fillPath(write.path, at) + query
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
          <Outcome answer={answer} near={path} />
          <div className={parts.actions}>
            <Button onClick={onClose}>{words.close}</Button>
          </div>
        </>
      ) : (
        <>
          {about && <p>{about}</p>}
          {props.children}
          {body?.isForm ? (
            <UploadForm
              {...{ body, path }}
              submit={title}
              onSaved={(_, got) => finish(got)}
              onCancel={onClose}
            />
          ) : body ? (
            <ObjectForm
              {...{ body, write, path, etag, submit }}
              {...(item ? { about: item } : { near: at })}
              {...(idAt !== undefined && { idAt })}
              draftKey={keptAs(`${write.method} ${path}`)}
              onSaved={(_, got) => finish(got)}
              onCancel={onClose}
            />
          ) : (
            <>
              {isBuild && <BuildOptions {...{ item, left }} itemPath={at} onLeave={setLeft} />}
              <Confirm
                {...{ write, path, name, submit }}
                etag={etag}
                {...(isBuild && { before: () => leaveOut(at, item, etag, left) })}
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
