import { ApiProblem } from '../api/problem.ts'
import { Button } from '../parts/button.tsx'
import { faultTexts } from '../parts/faults.tsx'
import { Notice } from '../parts/notice.tsx'
import { words } from '../words/words.ts'

/** In place of the rows: why they could not be read. A refusal of the server says who has the right. */
export function Failure({ error, onRetry }: { readonly error: Error; onRetry(): void }) {
  const isRefused = error instanceof ApiProblem && error.status === 403
  const { noRight, failed } = words.list
  const about = faultTexts(error).join(' ')
  if (isRefused) return <Notice sign="⊘" title={noRight} about={about} />
  return (
    <Notice sign="⚠" title={failed} about={about}>
      <Button onClick={onRetry}>{words.retry}</Button>
    </Notice>
  )
}

interface EmptinessProps {
  readonly isBeyond: boolean
  readonly isFiltered: boolean
  onClear(): void
}

/** In place of the rows: why there are none. */
export function Emptiness({ isBeyond, isFiltered, onClear }: EmptinessProps) {
  const { empty, emptyAbout, beyond, beyondAbout, noMatch, noMatchAbout } = words.list
  if (isBeyond) return <Notice sign="⇥" title={beyond} about={beyondAbout} />
  if (!isFiltered) return <Notice sign="○" title={empty} about={emptyAbout} />
  return (
    <Notice sign="∅" title={noMatch} about={noMatchAbout}>
      <Button onClick={onClear}>{words.filter.clear}</Button>
    </Notice>
  )
}
