import { type ReactNode, useState } from 'react'
import { changesBetween } from '../../api/changes-between.ts'
import type { FieldFacts, Write } from '../../api/document.ts'
import { type Item, isItem, valueAt } from '../../api/objects.ts'
import { ApiProblem } from '../../api/problem.ts'
import { Time } from '../../fields/time.tsx'
import { type Attempts, useAttempt } from '../../forms/use-attempt.ts'
import { useRehearsal } from '../../forms/use-rehearsal.ts'
import { Button } from '../../parts/button.tsx'
import { Faults, faultTexts } from '../../parts/faults.tsx'
import parts from '../../parts/parts.module.css'
import { Window } from '../../parts/window.tsx'
import { ChangeTable } from '../../records/change-table.tsx'
import { screenWords, words } from '../../words/words.ts'
import css from './orders.module.css'

interface DeedWindowProps {
  /** What is done, for what is kept until it is answered. */
  readonly purpose: string
  readonly title: string
  readonly about?: string
  readonly write: Write
  readonly path: string
  /** What is sent; undefined while the form has a fault, which it shows itself. */
  readonly body: unknown
  /** The object before, for what would change. */
  readonly before: Item
  readonly shown: readonly FieldFacts[]
  readonly submit: string
  /** What the button says of a request that was sent before; `submit` if all are the same. */
  submitOf?(body: unknown): string
  readonly look: 'main' | 'bad'
  /** Who is told of it beside the server. */
  readonly sends: string
  readonly children?: ReactNode
  onDone(sent: unknown): void
  onClose(): void
}

/** Does something that must happen once. Before, it shows what that would change, and who is told. */
export function DeedWindow(props: DeedWindowProps) {
  const attempts = useAttempt(props.write, props.path, props.purpose)
  return (
    <Window title={props.title} isOpen onClose={props.onClose}>
      {attempts.unknown ? (
        <UnknownOutcome {...props} attempts={attempts} />
      ) : (
        <Deed {...props} attempts={attempts} />
      )}
    </Window>
  )
}

interface StepProps extends DeedWindowProps {
  readonly attempts: Attempts
}

/** What changes with every write, or says the same in another form. */
const untold = /timestamps|_at$|links|relationships|next_actions|display_|transaction-type/

function Deed({
  attempts,
  about,
  body,
  path,
  before,
  shown,
  submit,
  look,
  sends,
  children,
  ...on
}: StepProps) {
  const { deed } = screenWords.orders
  const [faults, setFaults] = useState<readonly string[]>([])
  const [isRunning, setRunning] = useState(false)
  const rehearsal = useRehearsal([path], body, attempts.rehearse)
  const after = valueAt(rehearsal.answer, 'data')
  const changes = isItem(after) ? changesBetween(before, after).filter(({ path }) => !untold.test(path)) : []
  const isReady = rehearsal.isReady && !isRunning
  const run = async () => {
    setRunning(true)
    setFaults([])
    try {
      await attempts.send(body)
      on.onDone(body)
    } catch (error) {
      setFaults(faultTexts(error))
    } finally {
      setRunning(false)
    }
  }
  return (
    <>
      {about && <p>{about}</p>}
      {children}
      <p role="status" className={css.dim}>
        {rehearsal.isChecking ? words.record.checking : ''}
      </p>
      {rehearsal.refusal && <Faults texts={faultTexts(rehearsal.refusal)} />}
      {isReady && changes.length > 0 && (
        <>
          <h3>{deed.changes}</h3>
          <ChangeTable {...{ changes, shown, item: before }} />
        </>
      )}
      {body !== undefined && <p>{sends}</p>}
      <Faults texts={faults} />
      <div className={parts.actions}>
        <Button onClick={on.onClose}>{words.close}</Button>
        <Button look={look} disabled={!isReady} onClick={() => void run()}>
          {submit}
        </Button>
      </div>
    </>
  )
}

/** The request was sent, and nobody knows what became of it. */
function UnknownOutcome({ attempts, submit, submitOf, onDone, onClose }: StepProps) {
  const { deed } = screenWords.orders
  const [faults, setFaults] = useState<readonly string[]>([])
  const [isRunning, setRunning] = useState(false)
  const { unknown } = attempts
  if (!unknown) return null
  const again = async () => {
    setRunning(true)
    setFaults([])
    try {
      await attempts.send(unknown.body)
      onDone(unknown.body)
    } catch (error) {
      setFaults(faultTexts(error))
      setRunning(false)
      // A refusal is an answer: nothing is unknown any more.
      if (error instanceof ApiProblem && error.status < 500 && error.status !== 409 && error.status !== 0)
        onClose()
    }
  }
  return (
    <>
      <p>
        <strong>{deed.unknown}</strong> {deed.sentAt} <Time iso={new Date(unknown.sentAtMs).toISOString()} />
      </p>
      <p>{deed.unknownAbout}</p>
      <Faults texts={faults} />
      <div className={parts.actions}>
        <Button onClick={attempts.drop}>{deed.drop}</Button>
        <Button look="main" disabled={isRunning} onClick={() => void again()}>
          {deed.again(submitOf?.(unknown.body) ?? submit)}
        </Button>
      </div>
    </>
  )
}
