import { useState } from 'react'
import type { Attempts } from '../../forms/use-attempt.ts'
import { Button } from '../../parts/button.tsx'
import { Faults, faultTexts } from '../../parts/faults.tsx'
import parts from '../../parts/parts.module.css'
import { screenWords } from '../../words/words.ts'

interface UnknownOutcomeProps {
  readonly attempts: Attempts
  onAnswer(answer: unknown): void
}

/** A bulk change was sent, and nobody knows what became of it. */
export function UnknownOutcome({ attempts, onAnswer }: UnknownOutcomeProps) {
  const { window: texts } = screenWords.bulkChanges
  const [isRunning, setRunning] = useState(false)
  const [faults, setFaults] = useState<readonly string[]>([])
  const again = async () => {
    setRunning(true)
    setFaults([])
    try {
      onAnswer((await attempts.send(attempts.unknown?.body)).body)
    } catch (error) {
      setFaults(faultTexts(error))
    } finally {
      setRunning(false)
    }
  }
  return (
    <>
      <p role="status">{texts.unknown}</p>
      <Faults texts={faults} />
      <div className={parts.actions}>
        <Button onClick={attempts.drop}>{texts.forget}</Button>
        <Button look="main" disabled={isRunning} onClick={() => void again()}>
          {texts.again}
        </Button>
      </div>
    </>
  )
}
